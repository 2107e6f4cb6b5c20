import { path, settings, text, wholeNumber } from "@hostledger/runtime";

/** The cluster of Proxmox VE behind `HOSTLEDGER_COMPUTE=proxmox`. */
export const proxmoxSettings = {
  proxmoxUrl: text(
    "must be an address such as https://pve1.example.com:8006, without user or path",
    /^https:\/\/[^\s/?#@]{1,255}$/,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_URL",
      meaning: "where the cluster's API is, without /api2/json",
    }),
  proxmoxToken: text(
    "must be an API token such as user@realm!id=uuid",
    /^[\x21-\x7e]{1,128}@[\w.-]{1,64}![\w.-]{1,64}=[\da-f-]{36}$/i,
  )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_TOKEN",
      meaning: "API token of the cluster, user@realm!id=uuid",
      secret: true,
    }),
  proxmoxFingerprint: text(
    "must be a SHA-256 fingerprint of 32 pairs with colons between, such as openssl x509 -fingerprint -sha256 prints",
    /^(?:[\da-f]{2}:){31}[\da-f]{2}$/i,
  )
    .transform((pairs) => pairs.toUpperCase())
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_PROXMOX_FINGERPRINT",
      meaning:
        "SHA-256 of the only certificate that is trusted; without it an authority must have signed that",
    }),
  proxmoxConfig: path().optional().register(settings, {
    variable: "HOSTLEDGER_PROXMOX_CONFIG",
    meaning: "JSON file with what of the cluster is for servers: templates, bridge, regions, addresses",
  }),
  proxmoxTaskLimitMs: wholeNumber(1_000, 86_400_000).default(600_000).register(settings, {
    variable: "HOSTLEDGER_PROXMOX_TASK_LIMIT_MS",
    meaning: "how long the cluster may take for one server, in milliseconds: a clone copies a whole disk",
  }),
};
