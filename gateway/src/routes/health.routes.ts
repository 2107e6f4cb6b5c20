import type { Express, Request } from "express";

import { send } from "../http/answer.ts";
import type { GatewayResponse } from "../http/gateway-context.ts";
import { otherMethods } from "../http/mount.ts";
import { failureBody } from "../http/refusal.ts";

/** Whether the parts this process needs can do their work, each with a word for its state. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/**
 * What supervisors and load balancers ask, outside the API and without a key. `/healthz`: the process lives, do not
 * restart it. `/readyz`: send it requests.
 */
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
      const { ready, parts } = await readiness();
      if (ready) {
        send(response, { status: 200, body: { status: "ready", parts } });
        return;
      }
      const message = "Not ready: requests would be refused. The parts tell what is missing.";
      const body = { ...failureBody({ code: "overloaded", message }), parts };
      send(response, { status: 503, body, headers: { "Retry-After": "1" } });
    })
    .all(otherMethods("/readyz", ["GET"]));
}
