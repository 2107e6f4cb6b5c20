import { noticeKinds } from "@hostledger/rpc";
import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";

import { noticeSchemas } from "../schemas/notice.schema.ts";
import { id, timestamp } from "../schemas/values.schema.ts";

const headers = z.object({
  "webhook-id": z.string().meta({
    description: "The notice: the same at every attempt, and whenever it is sent again.",
  }),
  "webhook-timestamp": z.string().meta({ description: "When this attempt was made, in seconds since 1970." }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; two of them, parted by a space, for a day after a rotation.",
  }),
});

const testEvent = [
  "webhook.test",
  "The account sends a webhook a test event, once: `POST /webhooks/{webhook}/test`.",
  z.object({ webhook_id: id }),
] as const;

/** Describes every notice as a request to a webhook's receiver. */
export function describeNotices(): ZodOpenApiPathsObject {
  const kinds = [...noticeKinds.map((kind) => [kind, ...noticeSchemas[kind]] as const), testEvent];
  return Object.fromEntries(
    kinds.map(([kind, summary, data]) => {
      const body = z.object({ type: z.literal(kind), timestamp, data });
      const post = {
        operationId: `on${kind
          .split(/[._]/u)
          .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
          .join("")}`,
        tags: ["Webhooks"],
        summary,
        security: [],
        requestParams: { header: headers },
        requestBody: { required: true, content: { "application/json": { schema: body } } },
        responses: {
          "2XX": {
            description:
              "Taken; anything else, or nothing within 20 seconds, is tried again for three days. 410 disables the webhook; `Retry-After` of 429 and 503 is obeyed, up to a day.",
          },
        },
      };
      return [kind, { post }] as const;
    }),
  );
}
