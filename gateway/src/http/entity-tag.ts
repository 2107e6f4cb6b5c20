import { hash } from "node:crypto";

import { defined } from "@hostledger/runtime";

import type { Answer } from "./answer.ts";
import type { Customer } from "./caller.ts";
import { longestCondition } from "./precondition.ts";

/**
 * Gives an answer its entity tag, and leaves the body out where the client has it already: 304 (RFC 9110 §13.1.2, §15.4.5).
 *
 * The answer was made before: what is asked for with a tag is authenticated, counted and looked up as without one. What is no
 * success stays as it is, and so does a list that is longer than one page, whose tag nobody knows before its end.
 *
 * @param ifNoneMatch of the request. What is malformed or too long is as though it were not there: the whole answer is
 * never wrong.
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

/**
 * The tag is a digest of the bytes that are sent, of the link beside them, and of the account: where two accounts read the
 * same, such as an empty list, the tag of one is still nothing to the other.
 */
function entityTagOf(beside: string, text: string): string {
  const digest = hash("sha256", `${beside}\n${text}`, "base64url");
  return `"${digest.slice(0, 22)}"`;
}

/** The weak comparison, which is the one of reads (RFC 9110 §8.8.3.2, §13.1.2). */
function isMatchedBy(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > longestCondition) return false;
  const condition = ifNoneMatch.trim();
  // With its quotes, a tag of ours stands in a list as a whole or not at all, behind `W/` or not.
  return condition === "*" || condition.includes(tag);
}
