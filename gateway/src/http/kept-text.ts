/** A JSON text sent repeatedly, with its last entity tag. */
export class KeptText {
  readonly text: string;
  /** Length in UTF-8. */
  readonly byteLength: number;
  #beside: string | undefined;
  #tag = "";

  constructor(text: string) {
    this.text = text;
    this.byteLength = Buffer.byteLength(text);
  }

  /** Returns the entity tag of the text and `beside`; cached until `beside` changes. */
  tagBeside(beside: string, make: (beside: string, text: string) => string): string {
    if (this.#beside !== beside) {
      this.#tag = make(beside, this.text);
      this.#beside = beside;
    }
    return this.#tag;
  }
}

export function textOf(text: string | KeptText): string {
  return typeof text === "string" ? text : text.text;
}
