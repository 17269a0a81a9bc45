# The sandbox image with a coding agent on top; the build context is the folder that holds the agent's program and ripgrep.
ARG SANDBOX_IMAGE
FROM ${SANDBOX_IMAGE}
COPY --chmod=0755 opencode rg /usr/local/bin/
