import { createHash } from "node:crypto";

import type { Express, Request } from "express";
import { z } from "zod";

import { send } from "../../http/answer.ts";
import { passwordIn } from "../../http/authentication.ts";
import type { GatewayContext, GatewayResponse } from "../../http/gateway-context.ts";
import { readJsonObject } from "../../http/json-body.ts";
import { otherMethods, type Pipeline } from "../../http/mount.ts";
import { answerTo, RefusalError } from "../../http/refusal.ts";
import { requireScope } from "../../http/scopes.ts";

/** Body of a challenge: the TXT name and its value, or a domain and its key authorisation. */
const challenge = z.union([
  z.object({ fqdn: z.string().min(1).max(255), value: z.string().min(1).max(1_000) }),
  z
    .object({ domain: z.string().min(1).max(255), keyAuth: z.string().min(1).max(1_000) })
    // RFC 8555 §8.4: a wildcard is validated at its parent name.
    .transform(({ domain, keyAuth }) => ({
      fqdn: `_acme-challenge.${domain.replace(/^\*\./, "")}`,
      value: createHash("sha256").update(keyAuth).digest("base64url"),
    })),
]);

/**
 * Mounts the protocol of lego's provider `httpreq` (https://go-acme.github.io/lego/dns/httpreq/), which many ACME
 * clients use to add and remove a TXT value. The paths lie outside the API prefix, because the protocol has its own
 * version.
 */
export function mountAcme(app: Express, { admit, callerOf }: Pick<Pipeline, "admit" | "callerOf">): void {
  const steps = { present: "addTxtValue", cleanup: "removeTxtValue" } as const;

  async function carryOut(step: keyof typeof steps, request: Request, context: GatewayContext) {
    const customer = await admit(request, context, passwordIn);
    context.accountId = customer.accountId;
    requireScope(customer.scopes, { scopes: ["dns:txt"] });
    const asked = challenge.safeParse(await readJsonObject(request));
    if (!asked.success) throw malformed("Send `fqdn` and `value`, or `domain`, `token` and `keyAuth`.");
    const { domains, call } = callerOf(customer, context);
    await domains[steps[step]](asked.data, call);
    return asked.data;
  }

  for (const step of ["present", "cleanup"] as const) {
    const path = `/acme/${step}`;
    app
      .route(path)
      .post(async (request: Request, response: GatewayResponse) => {
        const { context } = response.locals;
        context.route = path;
        try {
          // acme.sh's `dns_acmeproxy` searches the answer for the value.
          const done = await carryOut(step, request, context);
          send(response, { status: 200, body: { status: true, ...done } });
        } catch (error) {
          throw inWordsOfAcme(error);
        }
      })
      .all(otherMethods(path, ["POST"]));
  }
}

/** Converts a refusal to the protocol: validation errors become 400, and the 401 challenge asks for Basic authentication. */
function inWordsOfAcme(error: unknown): unknown {
  const { rejection } = answerTo(error);
  if (rejection.code === "validation-failed") return malformed(rejection.message);
  if (rejection.code !== "unauthenticated") return error;
  return new RefusalError(rejection, { "WWW-Authenticate": 'Basic realm="hostledger"' });
}

function malformed(message: string): RefusalError {
  return new RefusalError({ code: "malformed-request", message });
}
