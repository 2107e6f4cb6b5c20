import type { DsData } from "../../sandbox/registry-contents.codec.ts";
import { namespaces } from "../namespaces.ts";
import { element, type XmlElement } from "../xml.ts";
import { extensionOf, type ObjectCommand } from "./command.ts";
import { all, atMost, optional, required, textIn } from "./reading.ts";
import { EppRefusal } from "./result-codes.ts";

const { secDns } = namespaces;
const mostDsData = 13;

/** Parses the DS records of a new domain (RFC 5910 §5.2.1). @throws EppRefusal */
export function dsDataOfCreate(command: ObjectCommand): readonly DsData[] {
  const create = extensionOf(command, secDns);
  return create === undefined ? [] : digestsIn(create);
}

/** Applies an update to DS records (RFC 5910 §5.2.5). @throws EppRefusal */
export function dsDataAfter(command: ObjectCommand, before: readonly DsData[]): readonly DsData[] {
  const update = extensionOf(command, secDns);
  if (update === undefined) return before;
  if (update.attributes.urgent === "true") throw new EppRefusal(2102, "Nothing is urgent here.");
  const removal = optional(update, "rem");
  const addition = optional(update, "add");
  const removed = removal === undefined ? [] : digestsIn(removal);
  const isRemovingAll = ["true", "1"].includes(optional(removal, "all")?.text ?? "");
  const kept = isRemovingAll ? [] : before.filter((digest) => !removed.some((gone) => isSame(gone, digest)));
  const added = addition === undefined ? [] : digestsIn(addition);
  const fresh = added.filter((digest) => !kept.some((held) => isSame(held, digest)));
  return atMost([...kept, ...fresh], mostDsData, "digests");
}

/** Returns a domain's DS records for an answer; empty without any. */
export function dsDataShown(digests: readonly DsData[]): readonly XmlElement[] {
  if (digests.length === 0) return [];
  return [
    element(
      secDns,
      "infData",
      digests.map(({ keyTag, algorithm, digestType, digest }) =>
        element(secDns, "dsData", [
          element(secDns, "keyTag", keyTag),
          element(secDns, "alg", algorithm),
          element(secDns, "digestType", digestType),
          element(secDns, "digest", digest),
        ]),
      ),
    ),
  ];
}

function digestsIn(parent: XmlElement): readonly DsData[] {
  if (all(parent, "keyData").length > 0)
    throw new EppRefusal(2306, "This registry takes dsData, no keyData.");
  return atMost(all(parent, "dsData"), mostDsData, "digests").map((data) => ({
    keyTag: numberIn(required(data, "keyTag"), 65_535),
    algorithm: numberIn(required(data, "alg"), 255),
    digestType: numberIn(required(data, "digestType"), 255),
    digest: textIn(required(data, "digest"), /^(?:[0-9A-Fa-f]{2}){20,64}$/, "hexadecimal").toUpperCase(),
  }));
}

function numberIn(part: XmlElement, most: number): string {
  const number = Number(textIn(part, /^\d{1,5}$/, "a number"));
  if (number > most) throw new EppRefusal(2004, `<${part.name}> may be ${String(most)} at most.`);
  return String(number);
}

function isSame(one: DsData, other: DsData): boolean {
  return (
    one.keyTag === other.keyTag &&
    one.algorithm === other.algorithm &&
    one.digestType === other.digestType &&
    one.digest === other.digest
  );
}
