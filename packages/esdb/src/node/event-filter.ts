import type { RecordedEvent } from "@hostledger/store";

import type { FilterRequest } from "../codec/read-request.codec.ts";
import { invalid } from "../codec/wire-values.codec.ts";

/** A filter that is ready for use. */
export interface EventFilter {
  readonly matches: (event: RecordedEvent) => boolean;
  /** Prefixes of stream names that the store itself can apply. */
  readonly streamPrefixes: readonly string[] | undefined;
  readonly checkpointInterval: number;
}

const regexLimit = 256;
const prefixLimit = 100;
const repeatLimit = 2;
const optionalLimit = 8;

/**
 * Prepares a filter.
 * @throws Refusal INVALID_ARGUMENT for a pattern that does not compile or could run very long, because patterns come
 * from strangers and matching blocks the process. Two unbounded repeats without groups are fast on every name of at
 * most 500 characters.
 */
export function compileFilter(request: FilterRequest | undefined): EventFilter | undefined {
  if (request === undefined) return undefined;
  const { on, regex, prefixes } = request;
  if (prefixes.length > prefixLimit) throw invalid(`at most ${String(prefixLimit)} prefixes are allowed`);
  const test = regex === "" ? startsWithOneOf(prefixes) : patternTest(regex);
  return {
    matches: on === "stream" ? (event) => test(event.stream) : (event) => test(event.type),
    streamPrefixes: on === "stream" && regex === "" ? prefixes : undefined,
    checkpointInterval: Math.max(1, request.checkpointInterval),
  };
}

function startsWithOneOf(prefixes: readonly string[]): (name: string) => boolean {
  return (name) => prefixes.some((prefix) => name.startsWith(prefix));
}

function patternTest(source: string): (name: string) => boolean {
  const broken = brokenRule(source);
  if (broken !== undefined) throw invalid(`the filter's regular expression ${broken}`);
  try {
    const pattern = new RegExp(source, "u");
    return (name) => pattern.test(name);
  } catch {
    return lenientPattern(source);
  }
}

/** EventStoreDB's examples escape characters such as `\$` inside classes, which is an error in Unicode mode. */
function lenientPattern(source: string): (name: string) => boolean {
  try {
    const pattern = new RegExp(source);
    return (name) => pattern.test(name);
  } catch {
    throw invalid("the filter's regular expression does not compile");
  }
}

function brokenRule(source: string): string | undefined {
  if (source.length > regexLimit) return `is longer than ${String(regexLimit)} characters`;
  const bare = source.replaceAll(/\\[^1-9k]/g, "_").replaceAll(/\[[^\]]*\]/g, "_");
  if (/\\[1-9k]/.test(bare)) return "uses a back reference";
  if (/\(\?(?!:)/.test(bare)) return "looks around or names a group";
  const plain = bare.replaceAll("(?:", "(");
  if (/\)[*+{?]/.test(plain)) return "repeats a group";
  if ((plain.match(/[*+{]/g) ?? []).length > repeatLimit) {
    return `has more than ${String(repeatLimit)} repeats`;
  }
  return (plain.match(/\?/g) ?? []).length > optionalLimit ? "has too many optional parts" : undefined;
}
