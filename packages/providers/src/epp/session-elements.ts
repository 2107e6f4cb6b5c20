import { identifier } from "./element-values.ts";
import { namespaces } from "./namespaces.ts";
import { anything, attribute, elementTable, many, maybe, one, struct, text } from "./shapes.codec.ts";

const extensions = maybe("svcExtension", struct({ uris: many("extURI", text()) }));

/** Sessions, and the envelope of answers (RFC 5730). */
export const sessionElements = elementTable(namespaces.epp, {
  greeting: {
    serverId: maybe("svID", text()),
    at: maybe("svDate", text()),
    menu: maybe(
      "svcMenu",
      struct({
        versions: many("version", text()),
        languages: many("lang", text()),
        objects: many("objURI", text()),
        extensions,
      }),
    ),
    policy: maybe("dcp", anything),
  },
  login: {
    user: one("clID", identifier),
    password: one("pw", text(/^.{6,64}$/u, "6 to 64 characters")),
    newPassword: maybe("newPW", text()),
    options: one("options", struct({ version: one("version", text()), language: one("lang", text()) })),
    services: one("svcs", struct({ objects: many("objURI", text(), { least: 1 }), extensions })),
  },
  poll: { operation: attribute("op"), messageId: attribute("msgID") },
  response: {
    results: many(
      "result",
      struct({
        code: attribute("code"),
        message: maybe("msg", text()),
        reasons: many(
          "extValue",
          struct({ value: maybe("value", anything), reason: maybe("reason", text()) }),
        ),
      }),
    ),
    queue: maybe(
      "msgQ",
      struct({
        count: attribute("count"),
        id: attribute("id"),
        queuedAt: maybe("qDate", text()),
        text: maybe("msg", text()),
      }),
    ),
    data: maybe("resData", anything),
    extensions: maybe("extension", anything),
    ids: maybe("trID", struct({ client: maybe("clTRID", text()), server: maybe("svTRID", text()) })),
  },
});
