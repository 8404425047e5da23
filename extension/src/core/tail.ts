/** The end of a stream of text. */
export class Tail {
  #text = '';

  /** Keeps at most `limit` characters. */
  constructor(private readonly limit = 8_192) {}

  add(piece: string): void {
    this.#text = (this.#text + piece).slice(-this.limit);
  }

  get text(): string {
    return this.#text;
  }
}
