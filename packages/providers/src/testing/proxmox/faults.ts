import { behaviourOf } from "../../sandbox/labels.ts";
import type { FakeNode } from "./fake-cluster.ts";
import type { Said } from "./fake-rules.ts";

/** How a request that a fault concerns is treated. */
export type FaultKind =
  /** The connection is cut before anything is done. */
  | "cut-before"
  /** It is done, and the connection is cut. */
  | "cut-after"
  /** Nobody answers. */
  | "hang"
  /** 200 with a page for people. */
  | "html"
  /** 200 with 10 MB. */
  | "huge"
  | "redirect"
  /** A status and a sentence, in the place of the answer. */
  | { readonly status: number; readonly message: string };

/** A fault of the next requests that match. */
export interface Fault {
  /** Of `METHOD /path`, without the query. */
  readonly request: RegExp;
  readonly kind: FaultKind;
  /** So many requests. */
  readonly times: number;
}

/** A node whose name may have one of the sandbox's labels in it: `offline` is what it says. */
export function labelledNode(name: string): FakeNode {
  const isAway = behaviourOf(name).order === "unreachable";
  return { status: isAway ? "offline" : "online", maxmem: 64e9, mem: 10e9 };
}

/**
 * How a node treats an order, by the label in its name: it refuses the clone, never answers to it, or the answer to the last request
 * of the order is lost.
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
