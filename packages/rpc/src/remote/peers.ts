import { ConnectionError } from "./connection-failure.ts";
import type { PeerConnection } from "./peer-connection.ts";
import type { Peer } from "./peer.ts";

/** Takes turns between the addresses of one service. */
export class Peers {
  readonly #peers: readonly Peer[];
  #turn = 0;

  constructor(peers: readonly Peer[]) {
    this.#peers = peers;
  }

  /**
   * A connection that takes calls: the next one in turn, or where there is none the first that can be made.
   * @param except an address that has just failed; it is used only where there is no other.
   * @throws ConnectionError none of the addresses can be reached.
   */
  async connection(except?: string): Promise<PeerConnection> {
    return this.#next(except) ?? (await this.#first());
  }

  #next(except: string | undefined): PeerConnection | undefined {
    this.#turn = (this.#turn + 1) % this.#peers.length;
    let lastResort: PeerConnection | undefined;
    for (const peer of [...this.#peers.slice(this.#turn), ...this.#peers.slice(0, this.#turn)]) {
      const { ready } = peer;
      if (ready === undefined) this.#wake(peer);
      else if (ready.authority === except) lastResort = ready;
      else return ready;
    }
    return lastResort;
  }

  /** A peer without calls so far joins the rotation after its answer. */
  #wake(peer: Peer): void {
    if (peer.health().state === "idle") peer.connection().catch(() => undefined);
  }

  async #first(): Promise<PeerConnection> {
    try {
      return await Promise.any(this.#peers.map((peer) => peer.connection()));
    } catch (error) {
      const reasons = this.#peers.map((peer) => peer.health().reason ?? `${peer.url} does not answer.`);
      throw new ConnectionError(reasons.join(" "), { cause: error });
    }
  }
}
