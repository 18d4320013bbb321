// The frame at a place, counted from 0, of the document; with `part` "body", of its body.
function frameAt(part, place) {
  /* shadow trees */
  return framesOf(rootOf(part))[place];
}
