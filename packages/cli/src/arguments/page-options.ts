import { InvalidArgumentError, type Command } from "commander";
import { parseId } from "./value-parsers.ts";

/** Which part of a list: what `paged` reads. */
export interface PageOptions {
  readonly after?: bigint;
  readonly limit: number;
}

/** What one call answers at most. */
const mostAtOnce = 1_000;

/** Gives the command of a list `--after` and `--limit`. */
export function paged(command: Command): Command {
  return command
    .option("--after <id>", "only what has a greater id", parseId)
    .option("--limit <count>", `so many at most, 1 to ${String(mostAtOnce)}`, parseLimit, mostAtOnce);
}

/** @throws InvalidArgumentError, which commander turns into wrong usage. */
function parseLimit(text: string): number {
  const limit = /^[1-9]\d{0,3}$/u.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (limit > mostAtOnce) throw new InvalidArgumentError(`It must be from 1 to ${String(mostAtOnce)}.`);
  return limit;
}
