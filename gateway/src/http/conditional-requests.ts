import type { IncomingHttpHeaders } from "node:http";
import { hash } from "node:crypto";

import { defined } from "@hostledger/runtime";

import type { Answer } from "./answer.ts";
import type { Caller, ValidRequest } from "./operation.ts";
import { answerTo, RefusalError } from "./refusal.ts";
import type { Customer } from "./caller.ts";

/** Maximum characters of a condition; longer ones are false. Our tags have 24 characters, and clients send few. */
export const longestCondition = 4_096;

/** Condition of a write (RFC 9110 §13.1.1, §13.1.2). */
export interface Precondition {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** The resource state that a condition is compared with. */
export interface Representation {
  /** Reads a revision that `read` is at least as new as. */
  readonly revision: (caller: Caller) => Promise<bigint>;
  /** Answers the GET of the path. */
  readonly read: ValidRequest;
  readonly tagOf: (answer: Answer) => string | undefined;
}

/** Returns the condition of a write; undefined if absent. */
export function preconditionIn(headers: IncomingHttpHeaders): Precondition | undefined {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

/**
 * Runs a write only if its condition is true. The revision is read before the tag and passed to the write, so the
 * second of two writers with one tag is refused. The check may refuse needlessly, but never accepts a stale tag.
 *
 * The repeat of an interrupted request may have changed the tag itself: it continues, but may add nothing new.
 */
export function runIf(condition: Precondition, current: Representation, write: ValidRequest): ValidRequest {
  return async (caller) => {
    const revision = await current.revision(caller);
    const tag = await tagOf(current, caller);
    if (isTrue(condition, tag)) return write(caller.basedOn(String(revision)));
    if (caller.isResumed) return write(caller.basedOn("repeat"));
    throw new RefusalError({
      code: "precondition-failed",
      message: "The condition in If-Match or If-None-Match is not met: read the resource again.",
    });
  };
}

/** Returns the resource's current tag; undefined if the resource does not exist. */
async function tagOf({ read, tagOf: of }: Representation, caller: Caller): Promise<string | undefined> {
  try {
    return of(await read(caller));
  } catch (error) {
    if (answerTo(error).rejection.code === "not-found") return undefined;
    throw error;
  }
}

/** Evaluates the condition: `If-Match` compares strongly, `If-None-Match` weakly (RFC 9110 §8.8.3.2). */
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

/** Returns the tags of a list, or `*`; undefined for other text. Foreign tags may contain commas. */
function tagsIn(text: string): "*" | readonly string[] | undefined {
  if (text.length > longestCondition) return undefined;
  if (text.trim() === "*") return "*";
  const tags = text.match(tagsPattern) ?? [];
  // A list may have empty members (RFC 9110 §5.6.1.2) but no other text between commas.
  const isList = text
    .replace(tagsPattern, '""')
    .split(",")
    .every((member) => ["", '""'].includes(member.trim()));
  return tags.length > 0 && isList ? tags : undefined;
}

/**
 * Adds the entity tag to an answer, and returns 304 without a body if the client has that tag (RFC 9110 §13.1.2,
 * §15.4.5).
 *
 * The answer is made in full before, so authentication and limits apply to conditional requests too. Failures and lists
 * of several pages get no tag.
 * @param ifNoneMatch header of the request; a malformed or too long header is ignored.
 */
export function revalidated(
  answer: Answer,
  { accountId }: Pick<Customer, "accountId">,
  ifNoneMatch: string | undefined,
): Answer {
  const { status, body, text = JSON.stringify(body), rest, headers } = answer;
  if (status !== 200 || rest !== undefined) return answer;
  const beside = `${String(accountId)}\n${headers?.Link ?? ""}`;
  const tag = typeof text === "string" ? entityTagOf(beside, text) : text.tagBeside(beside, entityTagOf);
  const named = { tag, ...defined({ headers }) };
  return isMatchedBy(tag, ifNoneMatch) ? { status: 304, ...named } : { status, text, ...named };
}

/** Returns a digest of bytes, `Link` header and account, so that two accounts never share a tag. */
function entityTagOf(beside: string, text: string): string {
  const digest = hash("sha256", `${beside}\n${text}`, "base64url");
  return `"${digest.slice(0, 22)}"`;
}

/** Compares weakly, as reads do (RFC 9110 §8.8.3.2, §13.1.2). */
function isMatchedBy(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > longestCondition) return false;
  const condition = ifNoneMatch.trim();
  // A quoted tag can only match a whole list member, with or without `W/`.
  return condition === "*" || condition.includes(tag);
}
