cargo generate --path evenkeel/examples/template --name dns-operator --define group=dns.example.com --define kind=DNSZone
