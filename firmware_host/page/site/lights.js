// The LEDs as they look: every frame is a tiny picture, one pixel a cell, that the browser enlarges. Twice on bare
// cells (a soft halo, and the cell itself through a mask), once through the plastic that lies there.

export const PLASTIC = {
  blue: [42, 96, 240], yellow: [250, 204, 36], red: [208, 28, 56],
  green: [42, 184, 112], purple: [126, 66, 220], orange: [245, 140, 40],
};
const LIT = 6;  // of 255: what is darker is not seen
const CLEAR = 0.35;  // part of the light that any plastic lets through

function tiny(name, cols, rows) {
  const canvas = document.createElement('canvas');
  canvas.className = `light ${name}`;
  canvas.width = cols;
  canvas.height = rows;
  return canvas;
}

/** Light on a board of squares. */
export class SquareLights {
  constructor(board) {
    const {rows, cols} = board;
    this.board = board;
    this.layers = ['halo', 'cell', 'through'].map((name) => tiny(name, cols, rows));
    this.paints = this.layers.map((layer) => layer.getContext('2d'));
    this.pictures = this.paints.map(() => new ImageData(cols, rows));
    this.plastic = new Array(rows * cols).fill(null);
  }

  /** Say whose plastic lies where: colour names by row * cols + col. */
  cover(plastic) { this.plastic = plastic; }

  /** Show (grid rows x grid cols x RGB) bytes; `at` is where the board lies in the grid. */
  draw(frame, gridCols, [row0, col0]) {
    const {rows, cols} = this.board, [halo, cell, through] = this.pictures.map((picture) => picture.data);
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        const from = ((row + row0) * gridCols + col + col0) * 3, to = (row * cols + col) * 4;
        const r = frame[from], g = frame[from + 1], b = frame[from + 2], level = Math.max(r, g, b);
        const colour = this.plastic[row * cols + col];
        const bare = colour === null && level > LIT;
        halo[to] = cell[to] = r; halo[to + 1] = cell[to + 1] = g; halo[to + 2] = cell[to + 2] = b;
        halo[to + 3] = bare ? level * 0.6 : 0;
        cell[to + 3] = bare ? 255 : 0;
        through[to + 3] = 0;
        if (colour !== null && level > LIT) {
          const tint = PLASTIC[colour];
          through[to] = r * (CLEAR + (1 - CLEAR) * tint[0] / 255);
          through[to + 1] = g * (CLEAR + (1 - CLEAR) * tint[1] / 255);
          through[to + 2] = b * (CLEAR + (1 - CLEAR) * tint[2] / 255);
          through[to + 3] = 235;
        }
      }
    }
    this.paints.forEach((paint, i) => paint.putImageData(this.pictures[i], 0, 0));
  }
}

/** Light on a board of triangles: each lit cell is filled, with a shadow for its halo. */
export class TriangleLights {
  constructor(board, corners, [width, height]) {
    this.board = board;
    this.cells = board.cells.map(([row, col, kind]) => ({row, col, points: corners([row, col], board.kinds, kind)}));
    this.size = [width, height];
    this.layers = [document.createElement('canvas')];
    this.layers[0].className = 'light drawn';
    this.plastic = [];
  }

  cover(plastic) { this.plastic = plastic; }

  draw(frame, gridCols, [row0, col0]) {
    const canvas = this.layers[0], ratio = devicePixelRatio || 1;
    const [wide, high] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
    if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
    const paint = canvas.getContext('2d'), scale = wide / this.size[0];
    paint.clearRect(0, 0, wide, high);
    for (const {row, col, points} of this.cells) {
      const from = ((row + row0) * gridCols + col + col0) * 3;
      let [r, g, b] = [frame[from], frame[from + 1], frame[from + 2]];
      if (Math.max(r, g, b) <= LIT) continue;
      const colour = this.plastic[row * this.board.cols + col];
      if (colour) [r, g, b] = [r, g, b].map((v, i) => v * (CLEAR + (1 - CLEAR) * PLASTIC[colour][i] / 255));
      const middle = [0, 1].map((i) => points.reduce((sum, point) => sum + point[i], 0) / 3);
      paint.shadowColor = `rgb(${r} ${g} ${b} / .7)`;
      paint.shadowBlur = colour ? 0 : scale * 0.5;
      paint.fillStyle = `rgb(${r} ${g} ${b} / ${colour ? 0.7 : 0.95})`;
      paint.beginPath();
      for (const [x, y] of points) {
        paint.lineTo((middle[0] + (x - middle[0]) * 0.82) * scale, (middle[1] + (y - middle[1]) * 0.82) * scale);
      }
      paint.fill();
    }
  }
}
