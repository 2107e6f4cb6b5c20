import { objectCommand, type Command } from "./commands.ts";
import { namespaces } from "./namespaces.ts";
import type { Response } from "./responses.ts";
import { childrenOf, element } from "./xml.ts";

const { domain, rgp } = namespaces;

/** Data of a deleted domain, as far as known. */
export interface DeletedDomain {
  readonly registrant: string | undefined;
  readonly expiresAt: string | undefined;
  /** Time of the last change, deletion included. */
  readonly updatedAt: string | undefined;
}

/** Restores a deleted domain (RFC 3915 §4.2.5). */
export function restoreDomain(name: string): Command {
  const restore = element(rgp, "update", [element(rgp, "restore", [], { op: "request" })]);
  const content = [element(domain, "name", name), element(domain, "chg")];
  return { content: objectCommand("update", domain, content), extensions: [restore] };
}

/** Reports that a domain was restored for its earlier registrant (RFC 3915 §4.2.5). @param restoredAt ISO 8601 UTC */
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

/** Parses grace period statuses and the state of a restoration (RFC 3915 §3.1, §4.2.5); empty without the extension. */
export function readGraceStatuses({ extensions }: Pick<Response, "extensions">): readonly string[] {
  const said = extensions.find(({ namespace }) => namespace === rgp);
  const statuses = said === undefined ? [] : childrenOf(said, rgp, "rgpStatus");
  return statuses.map(({ attributes }) => attributes.s ?? "");
}
