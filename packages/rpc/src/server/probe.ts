/** Where a listener tells that its process lives. */
export const servingPath = "/healthz";

/** Where it tells whether it should be sent requests. */
export const readinessPath = "/readyz";

/** What beside a listener's life tells whether it takes calls: `yes`, or `no` before its services are there and when they leave. */
export const servingHeader = "hostledger-serving";
