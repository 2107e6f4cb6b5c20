import { oneOf, settings, text } from "@hostledger/runtime";

import { safeUrl } from "./safe-url.ts";

/** The PowerDNS Authoritative Server behind `HOSTLEDGER_DNS=powerdns`. */
export const powerdnsSettings = {
  powerdnsUrl: safeUrl("https://dns.example.com:8443", "the API key must not pass a network in clear text")
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_URL",
      meaning: "address of PowerDNS's webserver, without /api/v1",
    }),
  powerdnsApiKey: text("must be 1 to 512 visible ASCII characters", /^[\x21-\x7e]{1,512}$/)
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_API_KEY",
      meaning: "PowerDNS's api-key",
      secret: true,
    }),
  powerdnsServer: text("must be the name of a server, for example localhost", /^[\w.-]{1,253}$/)
    .default("localhost")
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_SERVER",
      meaning: "PowerDNS's name in its own API",
    }),
  powerdnsZoneKind: oneOf("native", "primary").default("native").register(settings, {
    variable: "HOSTLEDGER_POWERDNS_ZONE_KIND",
    meaning: "native if PowerDNS's database is replicated, primary if secondaries are notified (NOTIFY)",
  }),
  powerdnsAccount: text("must be 1 to 40 letters, digits, dots, dashes and underscores", /^[\w.-]{1,40}$/)
    .default("hostledger")
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_ACCOUNT",
      meaning: "account of this instance's zones, which tells them from zones of others on the same server",
    }),
  powerdnsHostmaster: text(
    "must be a mailbox as a name, for example hostmaster.example.com",
    /^[a-z0-9_-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_POWERDNS_HOSTMASTER",
      meaning: "mailbox in the SOA of new zones; by default hostmaster at the first nameserver's domain",
    }),
  powerdnsDnssec: oneOf("no", "yes").default("no").register(settings, {
    variable: "HOSTLEDGER_POWERDNS_DNSSEC",
    meaning: "whether new zones are signed",
  }),
};
