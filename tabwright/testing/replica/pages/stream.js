// The stream is a line to skip, then "<length in bytes, hexadecimal>;<JSON>" again and again.
async function* framesOf(response) {
  const reader = response.body.getReader();
  let bytes = new Uint8Array();
  const until = async (full) => {
    while (!full()) {
      const { done, value } = await reader.read();
      if (done) return false;
      const longer = new Uint8Array(bytes.length + value.length);
      longer.set(bytes);
      longer.set(value, bytes.length);
      bytes = longer;
    }
    return true;
  };
  const take = (length) => {
    const text = new TextDecoder().decode(bytes.subarray(0, length));
    bytes = bytes.subarray(length);
    return text;
  };
  const mark = (character) => bytes.indexOf(character.charCodeAt(0));
  if (await until(() => mark("\n") >= 0)) take(mark("\n") + 1);
  while (await until(() => mark(";") >= 0)) {
    const length = parseInt(take(mark(";") + 1), 16);
    if (!await until(() => bytes.length >= length)) return;
    yield JSON.parse(take(length));
  }
}
