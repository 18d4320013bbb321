#!/bin/sh
# Starts a virtual display, where a browser window opens if a CAPTCHA needs a person, then tabwright.
# With VNC_PASSWORD set, the display can be reached by VNC at port 5900.
set -e
screen=${SCREEN:-1280x800x24}
Xvfb "$DISPLAY" -screen 0 "$screen" -nolisten tcp >/dev/null 2>&1 &
if [ -n "$VNC_PASSWORD" ]; then
    umask 077
    printf '%s\n' "$VNC_PASSWORD" > "$HOME/.vnc-password"
    x11vnc -display "WAIT$DISPLAY" -forever -shared -quiet -rfbport 5900 \
        -passwdfile "rm:$HOME/.vnc-password" >/dev/null 2>&1 &
    unset VNC_PASSWORD
fi
exec tabwright "$@"
