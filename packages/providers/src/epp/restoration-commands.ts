import { objectCommand, type Command } from "./commands.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { childrenOf, element } from "./xml.ts";

const { domain, rgp } = namespaces;

/** What a report says of a name as it was, as far as that is known. */
export interface DeletedDomain {
  readonly registrant: string | undefined;
  readonly expiresAt: string | undefined;
  /** When it was last changed, its deletion included. */
  readonly updatedAt: string | undefined;
}

/** Brings a deleted name back (RFC 3915 §4.2.5). */
export function restoreDomain(name: string): Command {
  const restore = element(rgp, "update", [element(rgp, "restore", [], { op: "request" })]);
  const content = [element(domain, "name", name), element(domain, "chg")];
  return { content: objectCommand("update", domain, content), extensions: [restore] };
}

/** Says that a name was restored for who had it before (RFC 3915 §4.2.5). @param restoredAt ISO 8601 UTC */
export function reportRestoration(name: string, before: DeletedDomain, restoredAt: string): Command {
  const data = `Registrant ${before.registrant ?? "not kept"}, expiry ${before.expiresAt ?? "not told"}`;
  const texts = [
    ["preData", data],
    ["postData", data],
    ["delTime", before.updatedAt ?? restoredAt],
    ["resTime", restoredAt],
    ["resReason", "The registrant asked for it."],
    [
      "statement",
      "The registrar has not restored the name to assume the rights to use or sell it for itself or a third party.",
    ],
    ["statement", "The information in this report is true to the best of the registrar's knowledge."],
  ] as const;
  const report = element(
    rgp,
    "report",
    texts.map(([child, text]) => element(rgp, child, text)),
  );
  const restore = element(rgp, "update", [element(rgp, "restore", [report], { op: "report" })]);
  const content = [element(domain, "name", name), element(domain, "chg")];
  return { content: objectCommand("update", domain, content), extensions: [restore] };
}

/** Where a name is in the time after its beginning, its renewal or its end, and what became of a restoration (RFC 3915 §3.1, §4.2.5); nothing where the registry does not say. */
export function readGraceStatuses({ extensions }: Pick<Response, "extensions">): readonly string[] {
  const said = extensions.find(({ namespace }) => namespace === rgp);
  const statuses = said === undefined ? [] : childrenOf(said, rgp, "rgpStatus");
  return statuses.map(({ attributes }) => attributes.s ?? "");
}
