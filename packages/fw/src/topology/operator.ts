/** Who may ask anything of the platform. No service can have the name. */
export const operatorIdentity = "fw:operator";
