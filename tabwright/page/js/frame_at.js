// The frame at a place, counted from 0.
function frameAt(place) {
  /* shadow trees */
  return framesOf()[place];
}
