import { behaviourOf } from "../../sandbox/labels.ts";
import type { FakeNode } from "./fake-cluster.ts";
import type { Said } from "./fake-rules.ts";

/** Treatment of a request with a fault. */
export type FaultKind =
  /** The connection is cut before the request is carried out. */
  | "cut-before"
  /** The request is carried out, then the connection is cut. */
  | "cut-after"
  /** No answer. */
  | "hang"
  /** Status 200 with an HTML page. */
  | "html"
  /** Status 200 with 10 MB. */
  | "huge"
  | "redirect"
  /** Status and message instead of the answer. */
  | { readonly status: number; readonly message: string };

/** A fault of matching requests. */
export interface Fault {
  /** Pattern of `METHOD /path` without the query. */
  readonly request: RegExp;
  readonly kind: FaultKind;
  /** Number of requests. */
  readonly times: number;
}

/** Returns a node; a sandbox label in its name can make it offline. */
export function labelledNode(name: string): FakeNode {
  const isAway = behaviourOf(name).order === "unreachable";
  return { status: isAway ? "offline" : "online", maxmem: 64e9, mem: 10e9 };
}

/**
 * Returns the fault of an order by the label in the node's name: the clone is refused or never answered, or the answer
 * to the order's last
 * request is lost.
 *
 * @param request `METHOD /path`.
 */
export function labelledFault(request: string, said: Said): FaultKind | undefined {
  if (/^POST \/nodes\/[^/]+\/qemu\/\d+\/clone$/.test(request)) {
    const { order } = behaviourOf(said.get("target") ?? "");
    if (order === "rejected") return { status: 500, message: "no space left on the storage" };
    return order === "swallowed" ? "hang" : undefined;
  }
  const [, node = ""] = /^PUT \/nodes\/([^/]+)\/qemu\/\d+\/config$/.exec(request) ?? [];
  return said.has("description") && behaviourOf(node).order === "answer-lost" ? "cut-after" : undefined;
}
