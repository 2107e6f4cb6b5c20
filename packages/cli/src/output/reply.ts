import { stripVTControlCharacters } from "node:util";

import { refused } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { jsonText, type JsonValue } from "./json.ts";
import { fields, table, type Cell, type Column } from "./table.ts";

/** A command's answer as JSON and as text. */
export interface Answer {
  /** Printed with `--json`; the keys are a contract with scripts. */
  readonly document: JsonValue;
  /** Text for people, ended by a newline; may change and have colours. */
  readonly text: string;
  /** Set if the answer reports a refusal or failure; the command then exits with code 1. */
  readonly refusal?: string;
}

/** Writes an answer as JSON or text. @throws CommandFailure (1) after writing, if the answer has a refusal */
export function reply(io: Io, asJson: boolean | undefined, answer: Answer): void {
  const text = io.colours.out ? answer.text : stripVTControlCharacters(answer.text);
  io.out(asJson === true ? `${jsonText(answer.document, 2)}\n` : text);
  if (answer.refusal !== undefined) throw refused(answer.refusal);
}

/** Returns the answer of a change; the text says first if nothing had to be done. */
export function changed(repeated: boolean, { document, text }: ChangedAnswer): Answer {
  return {
    document: { ...document, repeated },
    text: repeated ? `Nothing was done, because nothing had to change.\n${text}` : text,
  };
}

interface ChangedAnswer extends Answer {
  readonly document: Readonly<Record<string, JsonValue>>;
}

/** Returns the text of a command that creates missing files; says first if all existed. */
export function madeText(
  what: string,
  made: readonly string[],
  shown: Readonly<Record<string, Cell>>,
): string {
  return `${made.length === 0 ? `Nothing was done: all ${what} were there before.\n` : ""}${fields(shown)}`;
}

/** Returns the answer of a list: an array, or a table. */
export function listing<Row extends JsonValue>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Answer {
  return { document: rows, text: table(columns, rows) };
}
