/** A JSON text that is sent again and again, and the entity tag that it was last sent with. */
export class KeptText {
  readonly text: string;
  /** In UTF-8. */
  readonly byteLength: number;
  #beside: string | undefined;
  #tag = "";

  constructor(text: string) {
    this.text = text;
    this.byteLength = Buffer.byteLength(text);
  }

  /** Its tag beside what else the tag stands for: made once, until that is another. */
  tagBeside(beside: string, make: (beside: string, text: string) => string): string {
    if (this.#beside !== beside) {
      this.#tag = make(beside, this.text);
      this.#beside = beside;
    }
    return this.#tag;
  }
}

/** The text alone. */
export function textOf(text: string | KeptText): string {
  return typeof text === "string" ? text : text.text;
}
