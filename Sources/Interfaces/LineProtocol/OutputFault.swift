/// The cause of a failed attempt to use a broker, a server or a file. The raw value is the field `mqtt-N-fault` or
/// `output-N-fault` of the status.
package enum OutputFault: String, Hashable, Sendable, CaseIterable {
  case unknownName = "name-unknown"
  case unreachable
  case silent
  case noTLS = "no-tls"
  case untrusted = "certificate-untrusted"
  case expired = "certificate-expired"
  case notYetValid = "certificate-not-yet-valid"
  case wrongHost = "certificate-wrong-host"
  /// The broker's certificate is invalid for another reason.
  case invalidCertificate = "certificate-invalid"
  /// The broker refuses the gateway's certificate, or needs one.
  case clientCertificate = "client-certificate"
  /// TLS failed for another reason.
  case otherTLS = "tls"
  case file
  case version
  /// The broker refuses the user, the password or the client id.
  case refused
  case publication = "publication-refused"
  /// The connection ended before the broker accepted it.
  case unaccepted = "not-accepted"
  case ended = "connection-lost"
  /// The broker sent a packet that exceeds the limit.
  case tooLong = "packet-too-long"
  /// The gateway's machine cannot make the connection.
  case machine
  case noFolder = "no-folder"
  case noPermission = "no-permission"
  case diskFull = "disk-full"
  case link
  /// The path of the file is a folder or a device.
  case noFile = "no-file"
  /// The file belongs to another user.
  case otherOwner = "other-owner"
  /// The file has content that the gateway did not write.
  case otherContent = "other-content"
  case fileTooLong = "file-too-long"
  /// The file cannot be written for another reason.
  case writeFailed = "write-failed"
  case port

  package var cause: String {
    switch self {
    case .unknownName: "its name has no address"
    case .unreachable: "its port accepts no connection"
    case .silent: "the broker does not answer"
    case .noTLS: "the port does not answer in TLS"
    case .untrusted: "no trusted authority signed the broker's certificate"
    case .expired: "the broker's certificate has expired"
    case .notYetValid: "the broker's certificate is not valid yet"
    case .wrongHost: "the broker's certificate is for another host"
    case .invalidCertificate: "the broker's certificate is invalid"
    case .clientCertificate: "the broker refuses the gateway's certificate, or needs one"
    case .otherTLS: "TLS failed"
    case .file: "a file in [[mqtt]] cannot be used"
    case .version: "the broker does not support the version of MQTT"
    case .refused: "the broker refuses the connection"
    case .publication: "the broker refuses a message"
    case .unaccepted: "the connection ended before the broker accepted it"
    case .ended: "the connection was lost"
    case .tooLong: "the broker sent a packet that is too long"
    case .machine: "this machine cannot make the connection"
    case .noFolder: "its folder does not exist"
    case .noPermission: "the daemon's user cannot write to its folder"
    case .diskFull: "the disk is full"
    case .link: "the path is a symbolic link"
    case .noFile: "the path is no regular file"
    case .otherOwner: "the file belongs to another user"
    case .otherContent: "the file has content that the gateway did not write"
    case .fileTooLong: "the file has reached 16 MB"
    case .writeFailed: "the file cannot be written"
    case .port: "the serial port cannot be used"
    }
  }

  package var remedy: String {
    switch self {
    case .unknownName: "check the host in 'broker' and the network: getent hosts HOST"
    case .unreachable: "is the broker running, and are its host and port right?"
    case .silent: "is it a broker, and is mqtt:// or mqtts:// right?"
    case .noTLS: "use the port of the broker's TLS listener, 8883 on most brokers"
    case .untrusted: "set 'ca' to the certificate of the authority that signed it"
    case .expired: "renew it; if it has not expired, set the clock of this machine: date"
    case .notYetValid: "set the clock of this machine: date"
    case .wrongHost:
      "use a name of the certificate in 'broker': "
        + "openssl s_client -connect HOST:PORT </dev/null | openssl x509 -noout -ext subjectAltName"
    case .invalidCertificate: "openssl s_client -connect HOST:PORT -CAfile CA shows the reason"
    case .clientCertificate: "set 'certificate' and 'key', signed by an authority that the broker trusts"
    case .otherTLS: "are 'ca', 'certificate' and 'key' right for this broker?"
    case .file: "the log of onefixd names the file"
    case .version: "leave 'version' out of [[mqtt]], and restart onefixd"
    case .refused: "check 'username', 'password_file' and 'client_id'"
    case .publication: "does the broker's ACL let this user publish?"
    case .unaccepted:
      "is it a broker, and is mqtt:// or mqtts:// right? some brokers without MQTT 5 need version = \"3.1.1\""
    case .ended: "the log of the broker shows the cause"
    case .tooLong: "a broker with MQTT 5 sends no such packet; message_size_limit of mosquitto limits all"
    case .machine, .writeFailed, .port: "the log of onefixd shows the cause"
    case .noFolder, .noPermission:
      "sudo install -d -o onefix -g GROUP -m 2750 FOLDER; the folder must be in ReadWritePaths= of the service"
    case .diskFull: "free space on its file system: df"
    case .link, .noFile: "configure the path of a regular file in 'path'"
    case .otherOwner, .otherContent, .fileTooLong: "move the file away; the gateway then begins a new one"
    }
  }
}
