import { hash } from "node:crypto";
import { numberMember, originOf, parseMembers, textMember, type Fact, type Facts } from "../fact.ts";

/** Members by which a fact of a name or a server names the run that led to it. */
const runMembers = ["registrationId", "renewalId", "orderId", "chargeId"] as const;

/**
 * The facts around a charge that are not the account's: of its run, of the name or the server that the run is about, and
 * of the request that the run answers, if that was sent with an idempotency key.
 * @param cause the charge's id, which is the name of its run's stream.
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

/** The stream of what the run is about, which its first fact names. */
function subjectOf({ data }: Fact): string | undefined {
  const members = parseMembers(data);
  const serverId = numberMember(members, "serverId");
  if (serverId !== undefined) return `server-${String(serverId)}`;
  const name = textMember(members, "name");
  return name === undefined ? undefined : `domain-${name}`;
}

/** The stream of the request that the run answers: it is named by a hash of the account and its key. */
function requestOf(fact: Fact, accountId: number): string | undefined {
  const { idempotencyKey } = originOf(fact);
  if (idempotencyKey === undefined) return undefined;
  return `request-${hash("sha256", `${String(accountId)}\0${idempotencyKey}`, "hex")}`;
}

async function collect(facts: Facts, wanted: (fact: Fact) => boolean = () => true): Promise<readonly Fact[]> {
  const collected: Fact[] = [];
  for await (const fact of facts) if (wanted(fact)) collected.push(fact);
  return collected;
}
