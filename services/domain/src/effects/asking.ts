import { asLine, signersText, type ChangeFailure, type DelegationSigner, type Glue } from "@hostledger/core";
import type { Outcome, Registrar, RegistrarDomain } from "@hostledger/providers";

/** Outcome of a call after an inquiry, with the code of the provider that did not carry it out. */
export type Answer =
  | { readonly outcome: "done" }
  | { readonly outcome: "refused"; readonly code: ChangeFailure; readonly reason: string }
  | { readonly outcome: "unknown"; readonly code: ChangeFailure; readonly reason: string };

/** Characters of a provider's words that are kept. */
const longestReason = 500;

export const done: Answer = { outcome: "done" };

/**
 * Makes a call and finds its outcome. An unanswered call, and a refusal that follows a possibly successful call,
 * lead to an inquiry. If the inquiry fails, the outcome is `unknown`, and the engine tries again.
 */
export async function settle(
  isUncertain: boolean,
  call: { ask(): Promise<Outcome<unknown>>; isSo(): Promise<boolean | undefined> },
): Promise<Outcome<undefined>> {
  const answer = await call.ask();
  if (answer.outcome === "done") return { outcome: "done", value: undefined };
  if (answer.outcome === "refused" && !isUncertain) return answer;
  const isSo = await call.isSo();
  if (isSo === true) return { outcome: "done", value: undefined };
  if (isSo === false && answer.outcome === "refused") return answer;
  return { outcome: "unknown", message: answer.message };
}

export function registrarAnswer(answer: Outcome<unknown>): Answer {
  if (answer.outcome === "done") return done;
  const isRefused = answer.outcome === "refused" && answer.reason === "rejected";
  return notDone(answer, isRefused ? "registrar-refused" : "registrar-unavailable");
}

/** The DNS server's outcome. */
export function dnsAnswer(answer: Outcome<unknown>): Answer {
  return answer.outcome === "done" ? done : notDone(answer, "dns-unavailable");
}

function notDone(answer: Exclude<Outcome<unknown>, { outcome: "done" }>, code: ChangeFailure): Answer {
  return {
    outcome: answer.outcome,
    code,
    reason: asLine(answer.message, longestReason, "No reason was given"),
  };
}

/** Asks the registrar a yes-no question about a name; undefined if the registrar does not answer it. */
export function heldBy(
  registrar: Registrar,
  name: string,
  isSo: (held: RegistrarDomain) => boolean,
): () => Promise<boolean | undefined> {
  return async () => {
    const inquiry = await registrar.inquire(name);
    if (inquiry.outcome !== "done") return undefined;
    return inquiry.value.held && isSo(inquiry.value.domain);
  };
}

export interface Delegation {
  readonly nameservers: readonly string[];
  /** Absent: those that the registrar has stay. */
  readonly signers?: readonly DelegationSigner[];
  /** Addresses of those nameservers that are below the name. */
  readonly glue?: Glue;
}

/** Has the registrar delegate a name to these nameservers, signed by these keys. */
export async function delegate(
  registrar: Registrar,
  name: string,
  { nameservers, signers, glue }: Delegation,
  isUncertain: boolean,
): Promise<Answer> {
  const answer = await settle(isUncertain, {
    ask: () => registrar.updateNameservers(name, nameservers, signers, glue),
    isSo: heldBy(
      registrar,
      name,
      (held) => sameHosts(held.nameservers, nameservers) && sameSigners(held.signers, signers),
    ),
  });
  return registrarAnswer(answer);
}

/** A registrar that says nothing of signers holds none. */
function sameSigners(held: Delegation["signers"], wanted: Delegation["signers"]): boolean {
  return held === undefined || wanted === undefined || signersText(held) === signersText(wanted);
}

function sameHosts(left: readonly string[], right: readonly string[]): boolean {
  return left.toSorted().join() === right.toSorted().join();
}
