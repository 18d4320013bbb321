// The live picture: draws received pictures, and maps points of the screen to it.

const canvas = document.getElementById("canvas");
const context = canvas.getContext("2d", { alpha: false });

let drawing = Promise.resolve();

// Draws a picture or a part of it; pictures are drawn in the order in which they arrived.
export function draw(head, bytes) {
  const decoded = decode(head, bytes);
  drawing = drawing.then(async () => {
    const picture = await decoded;
    if (picture === null) return;
    fitCanvas(head);
    context.drawImage(picture, head.x * canvas.width, head.y * canvas.height, head.width * canvas.width, head.height * canvas.height);
    picture.close();
  });
  return drawing;
}

export async function decode(head, bytes) {
  try {
    return await createImageBitmap(new Blob([bytes], { type: head.media_type }));
  } catch {
    return null;
  }
}

function fitCanvas(head) {
  const width = Math.round(head.view_width);
  const height = Math.round(head.view_height);
  if (width > 0 && height > 0 && (canvas.width !== width || canvas.height !== height)) {
    canvas.width = width;
    canvas.height = height;
  }
}

// The position of a pointer in the picture, as fractions of its width and height.
export function placeOf(event) {
  const box = canvas.getBoundingClientRect();
  const part = (value) => Math.min(1, Math.max(0, value));
  return { x: part((event.clientX - box.left) / box.width), y: part((event.clientY - box.top) / box.height) };
}

// CSS pixels of the page per CSS pixel of the screen.
export function zoom() {
  return canvas.width / Math.max(1, canvas.getBoundingClientRect().width);
}
