mkdir dns-operator
cp -R evenkeel/examples/template/. dns-operator
cd dns-operator
rm cargo-generate.toml
mv Cargo.toml.liquid Cargo.toml
mv README.md.liquid README.md
find . -type f -exec sed -i.bak \
    -e 's/{{project-name}}/dns-operator/g' -e 's/{{group}}/dns.example.com/g' -e 's/{{kind}}/DNSZone/g' {} +
find . -name '*.bak' -delete
cargo fmt
