export const usage = `Usage: kubectl runwright COMMAND NAMESPACE/NAME [flags]

Commands:
  key create       make the API key of a webhook Automation that has none
  key regenerate   replace the API key; the old one stops working before this returns
  key curl         print how to send a delivery, without a key

Flags:
  -n, --namespace NAME         namespace of an Automation given as NAME alone
  -o, --output json            print one JSON document instead of text
      --base-url URL           what senders put before /webhooks/automation/…
      --service-account [NAMESPACE/]NAME
                               act as this ServiceAccount, for kubeconfigs without a bearer token
      --context NAME           context of the kubeconfig
      --kubeconfig FILE        kubeconfig; default $KUBECONFIG, then ~/.kube/config
      --release-namespace NAME where Runwright is installed; default runwright-system
      --release NAME           name of the Helm release; default runwright
      --server URL             address of the gateway's API instead of a port-forward to one of its pods
      --certificate-authority FILE
                               PEM certificates that --server's certificate is checked with
  -h, --help                   this text
`;
