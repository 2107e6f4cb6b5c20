import { hash } from "node:crypto";
import { numberMember, originOf, parseMembers, textMember, type Fact, type Facts } from "../fact.ts";

/** Fields with which events of a domain or a server name their run. */
const runMembers = ["registrationId", "renewalId", "orderId", "chargeId"] as const;

/**
 * Returns the events around a charge outside the account's stream: of its run, of the run's domain or server, and of the
 * request if it had an idempotency key.
 * @param cause id of the charge, which is the name of its run's stream.
 */
export async function factsAround(
  cause: string,
  accountId: number,
  readStream: (stream: string) => Facts,
): Promise<readonly Fact[]> {
  const run = await collect(readStream(cause));
  const [first] = run;
  if (first === undefined) return [];
  const { correlationId: correlation } = originOf(first);
  const belongs = (fact: Fact): boolean => {
    const data = parseMembers(fact.data);
    return (
      runMembers.some((name) => textMember(data, name) === cause) ||
      (correlation !== undefined && originOf(fact).correlationId === correlation)
    );
  };
  const subject = subjectOf(first);
  const request = requestOf(first, accountId);
  const [ofSubject, ofRequest] = await Promise.all([
    subject === undefined ? [] : collect(readStream(subject), belongs),
    request === undefined ? [] : collect(readStream(request)),
  ]);
  return [...ofRequest, ...ofSubject, ...run];
}

/** Returns the stream of the domain or server in the run's first event. */
function subjectOf({ data }: Fact): string | undefined {
  const members = parseMembers(data);
  const serverId = numberMember(members, "serverId");
  if (serverId !== undefined) return `server-${String(serverId)}`;
  const name = textMember(members, "name");
  return name === undefined ? undefined : `domain-${name}`;
}

/** Returns the stream of the run's request, whose name is a hash of the account and its key. */
function requestOf(fact: Fact, accountId: number): string | undefined {
  const { idempotencyKey } = originOf(fact);
  if (idempotencyKey === undefined) return undefined;
  return `request-${hash("sha256", `${String(accountId)}\0${idempotencyKey}`, "hex")}`;
}

/** The facts that count. */
async function collect(facts: Facts, wanted: (fact: Fact) => boolean = () => true): Promise<readonly Fact[]> {
  const collected: Fact[] = [];
  for await (const fact of facts) if (fact.leftOut === undefined && wanted(fact)) collected.push(fact);
  return collected;
}
