import { behaviourOf } from "../../sandbox/labels.ts";
import type { FakeNode } from "./fake-cluster.ts";
import type { Said } from "./fake-rules.ts";

/** Treatment of a request with a fault. */
export type FaultKind =
  /** The connection is cut before the request is carried out. */
  | "cut-before"
  /** The request is carried out, then the connection is cut. */
  | "cut-after"
  | "hang"
  | "html"
  | "huge"
  | "redirect"
  | { readonly status: number; readonly message: string };

export interface Fault {
  /** Pattern of `METHOD /path` without the query. */
  readonly request: RegExp;
  readonly kind: FaultKind;
  readonly times: number;
}

/** Returns a node; a sandbox label in its name can make it offline. */
export function labelledNode(name: string): FakeNode {
  const isAway = behaviourOf(name).order === "unreachable";
  return { status: isAway ? "offline" : "online", maxmem: 64e9, mem: 10e9 };
}

/** Returns the fault of an order by the label in the node's name. @param request `METHOD /path` */
export function labelledFault(request: string, said: Said): FaultKind | undefined {
  if (/^POST \/nodes\/[^/]+\/qemu\/\d+\/clone$/.test(request)) {
    const { order } = behaviourOf(said.get("target") ?? "");
    if (order === "rejected") return { status: 500, message: "no space left on the storage" };
    return order === "swallowed" ? "hang" : undefined;
  }
  const [, node = ""] = /^PUT \/nodes\/([^/]+)\/qemu\/\d+\/config$/.exec(request) ?? [];
  return said.has("description") && behaviourOf(node).order === "answer-lost" ? "cut-after" : undefined;
}
