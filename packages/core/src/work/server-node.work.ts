import { desiredNode, nextNodeDifference, type NodeState } from "../desired/server.desired.ts";
import type { ProvisionedServer, ServerState } from "../server/server.state.ts";
import type { Next } from "./next.ts";

export interface WorkedNode {
  readonly state: ServerState;
  /** Read only if `desiredNode` returns a state. */
  readonly observed: NodeState | undefined;
}

export type ServerNodeEffect =
  | { readonly type: "set-power"; readonly server: ProvisionedServer; readonly running: boolean }
  | {
      readonly type: "set-firewall";
      readonly server: ProvisionedServer;
      readonly firewall: NodeState["firewall"];
    }
  | { readonly type: "destroy"; readonly server: ProvisionedServer };

/** Decides the next step to bring a node to its desired state: existence, power and firewall of the machine. */
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
