async function work(task) {
  for (let nonce = 0; ; nonce++) {
    const data = new TextEncoder().encode(task + nonce);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    if (hash[0] === 0) return String(nonce);
  }
}
