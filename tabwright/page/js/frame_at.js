// The frame of the document at an index, counted from 0; with `part` "body", of its body.
function frameAt(part, place) {
  /* shadow trees */
  return framesOf(rootOf(part))[place];
}
