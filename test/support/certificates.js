/** Certificates for a server on this machine that no authority has signed, and their key. They have no other use. */
export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfUv3Q6NTtXfE61Ac
BGovsRHv/MDj2lYTRrjAZ+yI5EKhRANCAARVNBNtSi5bNtDEap/Yi4Y4HP/uVzfT
Pj30+2GNzO88sKHUoiVvBXZobirl7SThSbysOA4O/LCXs6QrUtjG00Or
-----END PRIVATE KEY-----`;

/** For localhost, valid for a hundred years. */
export const selfSigned = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUW3tMMMgTBU/A0QjUemIsM6/FtuYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEyMzAyNFoYDzIxMjYxMDI4
MTIzMDI0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARVNBNtSi5bNtDEap/Yi4Y4HP/uVzfTPj30+2GNzO88sKHUoiVvBXZo
birl7SThSbysOA4O/LCXs6QrUtjG00Oro28wbTAdBgNVHQ4EFgQUUPpkDl3SFx/w
ixhDBDBSiyr+9WIwHwYDVR0jBBgwFoAUUPpkDl3SFx/wixhDBDBSiyr+9WIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAJ5SmQtj/LLsfLreyPjd2ox2mVjRSMIbYr/a0v+W7YK+AiAO
1WJ10ebeKSnotcM2xHxsWdq0dh9e9rFJITKjyh5MMw==
-----END CERTIFICATE-----`;

/** For another host. */
export const forElsewhere = `-----BEGIN CERTIFICATE-----
MIIBojCCAUegAwIBAgIUEBiRmjJxknTX0RiJJ1uqb4GYq6kwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJZWxzZXdoZXJlMCAXDTI2MTEyMTEyMzAyNFoYDzIxMjYxMDI4
MTIzMDI0WjAUMRIwEAYDVQQDDAllbHNld2hlcmUwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARVNBNtSi5bNtDEap/Yi4Y4HP/uVzfTPj30+2GNzO88sKHUoiVvBXZo
birl7SThSbysOA4O/LCXs6QrUtjG00Oro3UwczAdBgNVHQ4EFgQUUPpkDl3SFx/w
ixhDBDBSiyr+9WIwHwYDVR0jBBgwFoAUUPpkDl3SFx/wixhDBDBSiyr+9WIwDwYD
VR0TAQH/BAUwAwEB/zAgBgNVHREEGTAXghVlbHNld2hlcmUuZXhhbXBsZS5jb20w
CgYIKoZIzj0EAwIDSQAwRgIhANfI5cx15jIiwZngWfaWtQr95uCWGY3e9cjpX/Cg
GUuqAiEA6qGa6iVwcUbHpGFj9o0/AQ1tnDJj/AsQV/y0kBiwp9k=
-----END CERTIFICATE-----`;

/** For localhost, until 2021. */
export const expired = `-----BEGIN CERTIFICATE-----
MIIBUzCB+qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxv
Y2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFU0E21KLls20MRqn9iL
hjgc/+5XN9M+PfT7YY3M7zywodSiJW8FdmhuKuXtJOFJvKw4Dg78sJezpCtS2MbT
Q6ujPTA7MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUUPpk
Dl3SFx/wixhDBDBSiyr+9WIwCgYIKoZIzj0EAwIDSAAwRQIgM7srVfgR/L/POPoJ
V1D+DmYanO4JdCIFawIYKEOf1cQCIQCp6jZhi1+FTpMfOmbzMQiGxoE+fWbfdFJG
2LosOFD6Qg==
-----END CERTIFICATE-----`;

/**
 * An authority that no client trusts, and its certificates; its key was deleted. Made, with the key above in key.pem,
 * by
 *
 *     openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout authority-key.pem -out authority.pem -days 36500 -subj '/CN=An authority of tests'
 *     sign() { openssl req -new -key key.pem -subj "/CN=$1" | openssl x509 -req -CA authority.pem -CAkey authority-key.pem -days 36500 -extfile <(printf "subjectAltName=$2"); }
 *     sign localhost DNS:localhost,IP:127.0.0.1
 *     sign elsewhere DNS:elsewhere.example.com
 */
export const authority = `-----BEGIN CERTIFICATE-----
MIIBlzCCAT2gAwIBAgIUdf8m2xfs5TaHTEUFIYRREDgw5k8wCgYIKoZIzj0EAwIw
IDEeMBwGA1UEAwwVQW4gYXV0aG9yaXR5IG9mIHRlc3RzMCAXDTI2MTEyMTE1NDAx
MFoYDzIxMjYxMDI4MTU0MDEwWjAgMR4wHAYDVQQDDBVBbiBhdXRob3JpdHkgb2Yg
dGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR7Wf2jZJUW7Wv6+LpJ4HaC
QaQVGaQU4B3zwDot0BWMfGUXogjm8rtzdlesX8sPYfpQu78FQzr2qbhevKGvbD5U
o1MwUTAdBgNVHQ4EFgQURiy+Dmt8vRe8YU3huCNuLT2zP7EwHwYDVR0jBBgwFoAU
Riy+Dmt8vRe8YU3huCNuLT2zP7EwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD
AgNIADBFAiAFVPo8y3nW3KsxsO+2qxRFUvvxCnN0/KW2seOwwhncPAIhAMOHeEhE
mVeJFSVwYyR5ZsYSatknjAFsE3L5yuA0+fVH
-----END CERTIFICATE-----`;

/** For localhost, signed by that authority, valid for a hundred years. */
export const ofUnknownAuthority = `-----BEGIN CERTIFICATE-----
MIIBlzCCATygAwIBAgIUWcANpOUrNwnYfzF8jSl1VbHkV3swCgYIKoZIzj0EAwIw
IDEeMBwGA1UEAwwVQW4gYXV0aG9yaXR5IG9mIHRlc3RzMCAXDTI2MTEyMTE1NDAx
MFoYDzIxMjYxMDI4MTU0MDEwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARVNBNtSi5bNtDEap/Yi4Y4HP/uVzfTPj30+2GN
zO88sKHUoiVvBXZobirl7SThSbysOA4O/LCXs6QrUtjG00Oro14wXDAaBgNVHREE
EzARgglsb2NhbGhvc3SHBH8AAAEwHQYDVR0OBBYEFFD6ZA5d0hcf8IsYQwQwUosq
/vViMB8GA1UdIwQYMBaAFEYsvg5rfL0XvGFN4bgjbi09sz+xMAoGCCqGSM49BAMC
A0kAMEYCIQDGyiE8cbAmKstX0h0v2pfiYbj2pDC4BeY11Yee53DsagIhAKwGPvBw
JrUEsbGH+XzQVQmKAxJqEAmJSDMhxOjO3yEi
-----END CERTIFICATE-----`;

/** For another host, signed by that authority, valid for a hundred years. */
export const ofElsewhere = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUKgAwIBAgIUYbwnlR8wNlWahfWVVh6IrBXZsL8wCgYIKoZIzj0EAwIw
IDEeMBwGA1UEAwwVQW4gYXV0aG9yaXR5IG9mIHRlc3RzMCAXDTI2MTEyMTE1NDAx
MFoYDzIxMjYxMDI4MTU0MDEwWjAUMRIwEAYDVQQDDAllbHNld2hlcmUwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARVNBNtSi5bNtDEap/Yi4Y4HP/uVzfTPj30+2GN
zO88sKHUoiVvBXZobirl7SThSbysOA4O/LCXs6QrUtjG00Oro2QwYjAgBgNVHREE
GTAXghVlbHNld2hlcmUuZXhhbXBsZS5jb20wHQYDVR0OBBYEFFD6ZA5d0hcf8IsY
QwQwUosq/vViMB8GA1UdIwQYMBaAFEYsvg5rfL0XvGFN4bgjbi09sz+xMAoGCCqG
SM49BAMCA0gAMEUCIQD++Z/IMnqCnaHeVatYw03Our2Ugxiz1meXcBB9gQ4t1QIg
Wq0aFTyx9GszPNpM3XNj9WZpxsqq6966aRWaHW65/+U=
-----END CERTIFICATE-----`;
