// SPDX-License-Identifier: Apache-2.0
/// Certificates beside those of ``TLSOrigin``, each signed by itself and valid from 2020 on.
enum Certificates {
    /// For localhost and 127.0.0.1.
    static let second = PEMPair(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBYjCCAQegAwIBAgIBATAKBggqhkjOPQQDAjARMQ8wDQYDVQQDDAZzZWNvbmQw
            IBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzANBgNVBAMMBnNl
            Y29uZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBdn9m8Xu6SQD4aCo1zVNhc3
            F3rnZcDEX9SsLMvOeC6G9x/0wC6XDF5prXh+rOUTow2+ugv2EL5bDHToWmhB9Sej
            TjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8EBTADAQH/
            MB0GA1UdDgQWBBS6tYHmHE8bmqYO2tgqBhhxlSmhnTAKBggqhkjOPQQDAgNJADBG
            AiEAujnkT02xNcsjbsGEyZD+4aBcGTt6D/jRHVt0uuQG2rMCIQC2BhVMpQ7bqdUD
            A7ZgHh55gtRvG1WPS43V40NSR9P76A==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg64Zl3ppjyIRyoT3d
            4EGaOJ5WrW1kB6e5iZr67EKEZWyhRANCAAQXZ/ZvF7ukkA+GgqNc1TYXNxd652XA
            xF/UrCzLznguhvcf9MAulwxeaa14fqzlE6MNvroL9hC+Wwx06FpoQfUn
            -----END PRIVATE KEY-----
            """)

    /// For localhost and 127.0.0.1, until 2021.
    static let expired = PEMPair(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBYTCCAQegAwIBAgIBAjAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAdleHBpcmVk
            MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowEjEQMA4GA1UEAwwHZXhw
            aXJlZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIBAHnVozQi5N7GiiNeTGx6N
            ZKcR4VeaBr3PY/P6TZyhs2/ZKul1pO0oycbjhlEHFj7hMTk7GleyNUdu1a2YUAqj
            TjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8EBTADAQH/
            MB0GA1UdDgQWBBRzySyRZbExT+Vkl04rzLeK2S/6TTAKBggqhkjOPQQDAgNIADBF
            AiEAqZaplw3WOVtV5JS+ey2IEMT4bxoRdNTJmxGbteDiojUCIFMF22b/BXMe3CHP
            dH5JoN+7up4B5SmRngQV6Ssvpc55
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrC04BFeiNt8td2VS
            CNLvJQDsqtyTefRK5b/07xvFoYOhRANCAASAQB51aM0IuTexoojXkxsejWSnEeFX
            mga9z2Pz+k2cobNv2SrpdaTtKMnG44ZRBxY+4TE5OxpXsjVHbtWtmFAK
            -----END PRIVATE KEY-----
            """)

    /// A client's.
    static let client = PEMPair(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBYDCCAQagAwIBAgIBAzAKBggqhkjOPQQDAjARMQ8wDQYDVQQDDAZjbGllbnQw
            IBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzANBgNVBAMMBmNs
            aWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABME/lxYuauL09sf3BTAwwdMU
            BIiPqq4pfDCdCMyiBudUx1L0AkmnGKoAmsLwd8vIdfp1dibsIWYDiJqxjCRHocGj
            TTBLMBkGA1UdEQQSMBCCDmNsaWVudC5leGFtcGxlMA8GA1UdEwEB/wQFMAMBAf8w
            HQYDVR0OBBYEFDYre22ZiNd/hqj4c9Juq/MDMfz/MAoGCCqGSM49BAMCA0gAMEUC
            IEsbwgnnIsrhoqxEul0NnGKVuGs403RprjgOjmOWRxeEAiEAkjqeNl04fb1byRZj
            yU6xiNpdQndy6fCynlx101Yo8FA=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPlqtgtrowCUBM67K
            MW3LYGPp1g2O3OLVHUimABoZSQyhRANCAATBP5cWLmri9PbH9wUwMMHTFASIj6qu
            KXwwnQjMogbnVMdS9AJJpxiqAJrC8HfLyHX6dXYm7CFmA4iasYwkR6HB
            -----END PRIVATE KEY-----
            """)

    /// The key of ``client`` behind the password `geheim`.
    static let lockedClientKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjHKUjnZ/tz2AICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECiaMIBsmAGmQnAsI6aiXxQEgZC7
        g038cvqb1heZPppWdmal7BnzwV0T346UHDIW85HH+XNB7SWNBmirosVMOe2Slbq0
        XFdS6FP4GZVLF9rNbDx2BSAESne1rmDrcQKlVWUXCZarDS8RAgmpsDHGu6h/fKPV
        JMWlxSXeivJJW79LqRxEtqDqv0RtRhQKCr5qQ5RX9VNNS6KEq7ahA/uyBH+4yrc=
        -----END ENCRYPTED PRIVATE KEY-----
        """
}
