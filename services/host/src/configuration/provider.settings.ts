import { settings, oneOf, wholeNumber } from "@hostledger/runtime";

const milliseconds = (most: number) => wholeNumber(0, most);

/** Who registers, answers for names and runs servers, and how the simulated ones behave. */
export const providerSettings = {
  registrar: oneOf("sandbox", "epp")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_REGISTRAR", meaning: "the registrar" }),
  dns: oneOf("sandbox", "powerdns")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_DNS", meaning: "the DNS server" }),
  compute: oneOf("sandbox", "proxmox")
    .default("sandbox")
    .register(settings, { variable: "HOSTLEDGER_COMPUTE", meaning: "the compute cluster" }),
  sandboxLatencyMs: milliseconds(600_000).default(0).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LATENCY_MS",
    meaning: "how long every call of a simulated provider takes, in milliseconds",
  }),
  sandboxLimboMs: milliseconds(86_400_000).default(60_000).register(settings, {
    variable: "HOSTLEDGER_SANDBOX_LIMBO_MS",
    meaning: "how long an order of a name with `limbo` stays unsettled, in milliseconds",
  }),
};

/** How long providers are waited for. */
export const providerLimitSettings = {
  providerTimeoutMs: wholeNumber(1, 600_000).default(5_000).register(settings, {
    variable: "HOSTLEDGER_PROVIDER_TIMEOUT_MS",
    meaning: "how long an answer of a provider is waited for, in milliseconds",
  }),
};
