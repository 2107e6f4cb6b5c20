/** Path at which a listener says that its process lives. */
export const servingPath = "/healthz";

/** Path at which a listener says whether it should get requests. */
export const readinessPath = "/readyz";

/** Header that says whether the listener accepts calls: `no` before its services are open and during a shutdown. */
export const servingHeader = "hostledger-serving";
