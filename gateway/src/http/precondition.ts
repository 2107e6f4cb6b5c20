import type { IncomingHttpHeaders } from "node:http";

import type { Answer } from "./answer.ts";
import type { Caller, ValidRequest } from "./operation.ts";
import { answerTo, RefusalError } from "./refusal.ts";

/** A condition with more characters is false: a tag of ours has 24, and a client names one or a few. */
export const longestCondition = 4_096;

/** What a write is conditional on (RFC 9110 §13.1.1, §13.1.2). */
export interface Precondition {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** What a condition is checked against. */
export interface Representation {
  /** Reads the revision that `read` shows at least. */
  readonly revision: (caller: Caller) => Promise<bigint>;
  /** Answers the GET of the path. */
  readonly read: ValidRequest;
  /** Entity tag of such an answer. */
  readonly tagOf: (answer: Answer) => string | undefined;
}

/** The condition of a write; undefined where it has none. */
export function preconditionIn(headers: IncomingHttpHeaders): Precondition | undefined {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

/**
 * Runs a write only where its condition is true. The revision is read first, and the tag afterwards: the write then expects
 * that revision, so that of two writers with one tag the second is refused. A condition may turn out false without need;
 * it is never true without reason.
 *
 * A request that an interrupted one is repeated for may have changed the tag itself: it goes on, but may add nothing new.
 */
export function runIf(condition: Precondition, current: Representation, write: ValidRequest): ValidRequest {
  return async (caller) => {
    const revision = await current.revision(caller);
    const tag = await tagOf(current, caller);
    if (isTrue(condition, tag)) return write(caller.basedOn(String(revision)));
    if (caller.isResumed) return write(caller.basedOn("repeat"));
    throw new RefusalError({
      code: "precondition-failed",
      message: "The resource is not as the condition in If-Match or If-None-Match says: read it again.",
    });
  };
}

/** The tag of the resource as it is; undefined where there is none. */
async function tagOf({ read, tagOf: of }: Representation, caller: Caller): Promise<string | undefined> {
  try {
    return of(await read(caller));
  } catch (error) {
    if (answerTo(error).rejection.code === "not-found") return undefined;
    throw error;
  }
}

/** `If-Match` compares strongly, so that a weak tag matches nothing; `If-None-Match` weakly (RFC 9110 §8.8.3.2). */
export function isTrue({ ifMatch, ifNoneMatch }: Precondition, tag: string | undefined): boolean {
  const matches = (text: string, tags: (named: string) => string): boolean | undefined => {
    const named = tagsIn(text);
    if (named === undefined) return undefined;
    return tag !== undefined && (named === "*" || named.some((one) => tags(one) === tag));
  };
  if (ifMatch !== undefined && matches(ifMatch, (named) => named) !== true) return false;
  return ifNoneMatch === undefined || matches(ifNoneMatch, (named) => named.replace(/^W\//u, "")) === false;
}

const tagsPattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/gu;

/** The tags of a list, or `*`; undefined where the text is neither. Tags hold no comma of ours, but others may. */
function tagsIn(text: string): "*" | readonly string[] | undefined {
  if (text.length > longestCondition) return undefined;
  if (text.trim() === "*") return "*";
  const tags = text.match(tagsPattern) ?? [];
  // A list may have empty members (RFC 9110 §5.6.1.2), and nothing else between commas.
  const isList = text
    .replace(tagsPattern, '""')
    .split(",")
    .every((member) => ["", '""'].includes(member.trim()));
  return tags.length > 0 && isList ? tags : undefined;
}
