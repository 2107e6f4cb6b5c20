import { hash } from "node:crypto";

import { defined } from "@hostledger/runtime";

import type { Answer } from "./answer.ts";
import type { Customer } from "./caller.ts";
import { longestCondition } from "./precondition.ts";

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
