import { stripVTControlCharacters } from "node:util";

import { refused } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { jsonText, type JsonValue } from "./json.ts";
import { fields, table, type Cell, type Column } from "./table.ts";

/** The two forms of a command's answer. */
export interface Answer {
  /** What `--json` prints; its keys are a contract. */
  readonly document: JsonValue;
  /** What a person reads, ended by a newline; free to change. It may have colours. */
  readonly text: string;
  /** Set when the answer tells of something that was refused or failed: the command then ends with exit code 1. */
  readonly refusal?: string;
}

/**
 * Writes a command's answer to standard output, in the form that was asked for; with colours only on a terminal.
 * @throws CommandFailure (1) afterwards, when the answer has a refusal.
 */
export function reply(io: Io, asJson: boolean | undefined, answer: Answer): void {
  const text = io.colours.out ? answer.text : stripVTControlCharacters(answer.text);
  io.out(asJson === true ? `${jsonText(answer.document, 2)}\n` : text);
  if (answer.refusal !== undefined) throw refused(answer.refusal);
}

/** The answer of a change, which says first where there was nothing to do; what follows is how things are. */
export function changed(repeated: boolean, { document, text }: ChangedAnswer): Answer {
  return {
    document: { ...document, repeated },
    text: repeated ? `Nothing was done: all of it was so before.\n${text}` : text,
  };
}

interface ChangedAnswer extends Answer {
  readonly document: Readonly<Record<string, JsonValue>>;
}

/** What a command tells that makes files where there are none yet: it says first where all were there. */
export function madeText(
  what: string,
  made: readonly string[],
  shown: Readonly<Record<string, Cell>>,
): string {
  return `${made.length === 0 ? `Nothing was done: all ${what} were there before.\n` : ""}${fields(shown)}`;
}

/** The answer of a list: an array of the rows, or a table of them. */
export function listing<Row extends JsonValue>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Answer {
  return { document: rows, text: table(columns, rows) };
}
