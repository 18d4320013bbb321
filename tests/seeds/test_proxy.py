from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.shipped_lists import load_proxy_ports
from tabwright.protocol.proxy import Proxy, preferred

PORTS = load_proxy_ports()
PROXIES = st.builds(
    Proxy, st.sampled_from(["http", "socks5"]), st.just("127.0.0.1"), st.sampled_from(PORTS)
)


# Feature: nodriver-migration, Property 7: Proxy Preference Order
@given(detected=st.sets(PROXIES), ports=st.permutations(PORTS))
def test_proxy_choice_prefers_http_then_port_order(detected: set[Proxy], ports: list[int]) -> None:
    chosen = preferred(detected, ports)
    if chosen is None:
        assert not detected
        return
    assert chosen in detected
    http = [proxy for proxy in detected if proxy.kind == "http"]
    assert chosen.kind == ("http" if http else "socks5")
    before = ports[: ports.index(chosen.port)]
    assert not [proxy for proxy in http or detected if proxy.port in before]
