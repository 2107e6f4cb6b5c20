import { desiredNode, nextNodeDifference, type NodeState } from "../desired/server.desired.ts";
import type { ProvisionedServer, ServerState } from "../server/server.state.ts";
import type { Next } from "./next.ts";

/** A server and what its node does, as the work on nodes sees them. */
export interface WorkedNode {
  readonly state: ServerState;
  /** Read where `desiredNode` says something. */
  readonly observed: NodeState | undefined;
}

/** What is done about a node. */
export type ServerNodeEffect =
  | { readonly type: "set-power"; readonly server: ProvisionedServer; readonly running: boolean }
  | {
      readonly type: "set-firewall";
      readonly server: ProvisionedServer;
      readonly firewall: NodeState["firewall"];
    }
  | { readonly type: "destroy"; readonly server: ProvisionedServer };

/** What makes a node be as the events say: whether the machine is there, whether it runs, and its firewall. */
export function nextOfServerNode({ state, observed }: WorkedNode): Next<ServerNodeEffect> {
  if (state.status === "terminating") return { do: { type: "destroy", server: state.server } };
  const desired = desiredNode(state);
  if (desired === undefined || observed === undefined || !("server" in state)) return "done";
  const { server } = state;
  const difference = nextNodeDifference(desired, observed);
  if (difference === "power") return { do: { type: "set-power", server, running: desired.running } };
  if (difference === undefined) return "done";
  return { do: { type: "set-firewall", server, firewall: desired.firewall } };
}
