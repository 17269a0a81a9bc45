# The sandbox image with a coding agent on top; the build context is the folder that holds the agent's program.
ARG SANDBOX_IMAGE
FROM ${SANDBOX_IMAGE}
COPY --chmod=0755 opencode /usr/local/bin/opencode
