import type { Express, Request } from "express";

import { send } from "../../http/answer.ts";
import type { GatewayResponse } from "../../http/gateway-context.ts";
import { otherMethods } from "../../http/mount.ts";
import { failureBody } from "../../http/refusal.ts";

/** Whether this process can serve requests. Details are shown only to staff, on the staff listener. */
export interface Readiness {
  readonly ready: boolean;
  /** Phase of the process while it does not serve. */
  readonly phase?: "starting" | "stopping";
}

/** Serves `/healthz` (the process runs) and `/readyz` (send requests), without a key and outside the API. */
export function mountHealth(app: Express, readiness: () => Promise<Readiness>): void {
  app
    .route("/healthz")
    .get((_request: Request, response: GatewayResponse) => {
      send(response, { status: 200, body: { status: "ok" } });
    })
    .all(otherMethods("/healthz", ["GET"]));
  app
    .route("/readyz")
    .get(async (_request: Request, response: GatewayResponse) => {
      const { ready, phase } = await readiness();
      if (ready) {
        send(response, { status: 200, body: { status: "ready" } });
        return;
      }
      const why = phase === undefined ? "requests would be refused" : `it is ${phase}`;
      const body = failureBody({ code: "overloaded", message: `Not ready: ${why}.` });
      send(response, { status: 503, body, headers: { "Retry-After": "1" } });
    })
    .all(otherMethods("/readyz", ["GET"]));
}
