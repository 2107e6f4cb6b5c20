import { property, type Shown } from "./books.ts";
import { listed } from "./books/books-event.ts";
import type { RestAnswer } from "./rest-client.ts";

/** A request for a name and its answer; undefined if the connection broke. */
export interface Attempt {
  readonly accountId: number;
  readonly name: string;
  answer: RestAnswer | undefined;
  /** Every answer on the way, in short, of a client that asked more than once. */
  readonly steps?: readonly string[];
}

/** Status, and the code of a failure: `500 registrar_failed`. */
export function inShort(answer: RestAnswer | undefined): string {
  if (answer === undefined) return "nothing";
  const code = property(answer.body, "code");
  return typeof code === "string" ? `${String(answer.status)} ${code}` : String(answer.status);
}

/** Failures that say that the same request may be sent again. */
export const retryable: readonly string[] = [
  "nothing",
  "409 request_in_progress",
  "503 overloaded",
  "503 temporarily_unavailable",
  "504 deadline_exceeded",
];

/** Answers that promise nothing about the outcome. */
const open = ["nothing", "500 internal", "504 deadline_exceeded"];

/**
 * Compares the answers to customers with the present data.
 * @param answers all permitted answers.
 * @returns a sentence for each broken promise.
 */
export function brokenPromises(
  attempts: readonly Attempt[],
  shown: readonly Shown[],
  answers: readonly string[],
): readonly string[] {
  const domains = new Map<string, unknown>();
  const charged = new Map<unknown, unknown>();
  for (const { accountId, domains: rows, invoices } of shown) {
    for (const row of listed(rows))
      domains.set(owned(String(property(row, "domain_name")), accountId), property(row, "id"));
    for (const row of listed(invoices)) charged.set(property(row, "id"), property(row, "brutto"));
  }
  const broken: string[] = [];
  const byOwner = Map.groupBy(attempts, ({ name, accountId }) => owned(name, accountId));
  for (const [name, tries] of byOwner) {
    for (const { answer } of tries) {
      if (!answers.includes(inShort(answer)))
        broken.push(`${name} was answered ${JSON.stringify(answer?.body)}`);
      if (answer?.status !== 201) continue;
      const { body } = answer;
      const isThere =
        domains.get(name) === property(property(body, "domain"), "id") &&
        charged.get(property(body, "invoice_id")) === property(body, "amount_charged");
      if (!isThere) broken.push(`${name} was acknowledged with 201 and is not there`);
    }
    const mayBeThere = tries.some(({ answer }) => answer?.status === 201 || open.includes(inShort(answer)));
    if (domains.has(name) && !mayBeThere)
      broken.push(`${name} is registered, though every request was refused: ${heardBy(tries)}`);
  }
  return broken;
}

/** Returns the answers to a name's clients, in order. */
function heardBy(tries: readonly Attempt[]): string {
  return tries.map(({ answer, steps = [inShort(answer)] }) => steps.join(", ")).join("; ");
}

function owned(name: string, accountId: number): string {
  return `${name} of account ${String(accountId)}`;
}
