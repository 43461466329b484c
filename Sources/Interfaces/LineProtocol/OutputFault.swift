/// The reason why the gateway cannot send fixes to a broker or a server, or write fixes to a file. The raw value is the
/// field `mqtt-N-fault` or `output-N-fault` in the reply to STATUS.
package enum OutputFault: String, Hashable, Sendable, CaseIterable {
  case unknownName = "name-unknown"
  case unreachable
  case silent
  case noTLS = "no-tls"
  case untrusted = "certificate-untrusted"
  case expired = "certificate-expired"
  case notYetValid = "certificate-not-yet-valid"
  case wrongHost = "certificate-wrong-host"
  /// The server's certificate is invalid for a reason that no other case names.
  case invalidCertificate = "certificate-invalid"
  /// The broker refuses the gateway's TLS certificate, or requires a certificate.
  case clientCertificate = "client-certificate"
  /// The web server requires a TLS certificate of the gateway, which an output over HTTP does not have.
  case needsCertificate = "certificate-needed"
  /// TLS failed for a reason that no other case names.
  case otherTLS = "tls"
  case file
  case version
  /// The MQTT broker refuses the user name, the password or the client id, or lacks retained messages or QoS 1.
  case refused
  case publication = "publication-refused"
  /// The connection ended before the MQTT broker accepted the connection.
  case unaccepted = "not-accepted"
  case ended = "connection-lost"
  /// The MQTT broker sent a packet that exceeds the size limit.
  case tooLong = "packet-too-long"
  /// The operating system of the gateway cannot make a network connection.
  case machine
  /// A web server or an MQTT broker answered with an error after which another attempt can succeed.
  case busy = "server-busy"
  /// A web server refuses the fix. Another attempt with the same fix would fail, too.
  case rejected
  case redirected
  case noHTTP = "no-http"
  case noFolder = "no-folder"
  /// A part of the output file's path is a file, but must be a folder.
  case notFolder = "not-a-folder"
  case noPermission = "no-permission"
  case diskFull = "disk-full"
  case link
  /// The path of the output file does not lead to a regular file, but for example to a folder or a device.
  case noFile = "no-file"
  /// The output file (to which the gateway writes fixes) belongs to another Unix user.
  case otherOwner = "other-owner"
  /// The output file has content that the gateway did not write, so the gateway does not change the file.
  case otherContent = "other-content"
  case fileTooLong = "file-too-long"
  /// The gateway cannot write to the output file for a reason that no other case names.
  case writeFailed = "write-failed"
  case port

  package var cause: String {
    switch self {
    case .unknownName: "its name has no address"
    case .unreachable: "its port accepts no connection"
    case .silent: "the server does not answer"
    case .noTLS: "the port does not answer in TLS"
    case .untrusted: "no trusted authority signed the server's certificate"
    case .expired: "the certificate of the server or of its authority has expired"
    case .notYetValid: "the certificate of the server or of its authority is not valid yet"
    case .wrongHost: "the server's certificate is for another host"
    case .invalidCertificate: "the server's certificate is invalid"
    case .clientCertificate: "the broker refuses the gateway's certificate, or needs one"
    case .needsCertificate: "the server needs a certificate of its clients"
    case .otherTLS: "TLS failed"
    case .file: "a file of its table cannot be used"
    case .version: "the broker does not support the version of MQTT"
    case .refused: "the broker refuses the connection"
    case .publication: "the broker refuses a message"
    case .unaccepted: "the connection ended before the broker accepted it"
    case .ended: "the connection was lost"
    case .tooLong: "the broker sent a packet that is too long"
    case .machine: "this machine cannot make the connection"
    case .busy: "the server cannot take a fix now"
    case .rejected: "the server refuses the fix, which is lost"
    case .redirected: "the server redirects to another address, and the fix is lost"
    case .noHTTP: "the port does not answer in HTTP"
    case .noFolder: "its folder does not exist"
    case .notFolder: "a part of its path is a file and not a folder"
    case .noPermission: "the daemon's user cannot write to its folder"
    case .diskFull: "the disk is full"
    case .link: "the path is a symbolic link"
    case .noFile: "the path is not a regular file"
    case .otherOwner: "the file belongs to another user"
    case .otherContent: "the file has content that the gateway did not write"
    case .fileTooLong: "the file has reached 16 MB"
    case .writeFailed: "the file cannot be written"
    case .port: "the serial port cannot be used"
    }
  }

  package var remedy: String {
    switch self {
    case .unknownName: "check the host in 'broker' or 'url' and the network: getent hosts HOST"
    case .unreachable: "is the server running, and are its host and port right?"
    case .silent: "is it such a server, and does its scheme have the s of TLS only if the port uses TLS?"
    case .noTLS: "use the port of TLS, 8883 on most brokers and 443 on most web servers"
    case .untrusted: "set 'ca' to the certificate of the authority that signed it"
    case .expired:
      "renew it, and set 'ca' to the new certificate of an authority; if neither has expired, set the clock of this "
        + "machine: date"
    case .notYetValid: "set the clock of this machine: date"
    case .wrongHost:
      "use a name of the certificate in 'broker' or 'url': "
        + "openssl s_client -connect HOST:PORT </dev/null | openssl x509 -noout -ext subjectAltName"
    case .invalidCertificate: "openssl s_client -connect HOST:PORT -CAfile CA shows the reason"
    case .clientCertificate: "set 'certificate' and 'key', signed by an authority that the broker trusts"
    case .needsCertificate:
      "[[http]] has no certificate of its own: let the server identify the gateway by 'user' or 'bearer_file'"
    case .otherTLS:
      "is 'ca' right for this server, and in [[mqtt]] 'certificate' and 'key'? "
        + "openssl s_client -connect HOST:PORT </dev/null shows more"
    case .file: "the log of onefixd names the file"
    case .version: "leave 'version' out of [[mqtt]], and restart onefixd"
    case .refused:
      "check 'username', 'password_file' and 'client_id'; the broker must also permit retained messages and QoS 1"
    case .publication: "does the broker's ACL let this user publish, and does the broker permit messages of 8 KB?"
    case .unaccepted:
      "is it a broker, and is mqtt:// or mqtts:// right? some brokers without MQTT 5 need version = \"3.1.1\""
    case .ended:
      "the log of the server shows the cause; over MQTT, another gateway or client may have the same 'client_id'"
    case .tooLong: "a broker with MQTT 5 sends no such packet; message_size_limit of mosquitto limits all"
    case .machine, .writeFailed, .port: "the log of onefixd shows the cause"
    case .busy: "the gateway tries again; the log of the server shows the cause"
    case .rejected: "are the path of 'url', the user and the secret right? the log of the server shows the cause"
    case .redirected: "set 'url' to the address that curl -sI URL shows as Location, if that server may get the fixes"
    case .noHTTP: "is it a web server, and does its port use TLS? then use https://"
    case .noFolder:
      "sudo onefixd check prints the command that makes the folder; then restart the service, whose ReadWritePaths= "
        + "must name the folder"
    case .noPermission:
      "sudo onefixd check reports the folder if the daemon's user may not write to it; otherwise restart the service, "
        + "whose ReadWritePaths= must name the folder"
    case .notFolder: "move that file away, or configure another path in 'path'"
    case .diskFull: "free space on its file system: df"
    case .link: "move the link away; the gateway then begins a new file"
    case .noFile: "configure the path of a regular file in 'path'"
    case .otherOwner, .otherContent, .fileTooLong: "move the file away; the gateway then begins a new one"
    }
  }

  /// Whether every further attempt to deliver the same fix would fail, too.
  package var isFinal: Bool { self == .rejected || self == .redirected }
}
