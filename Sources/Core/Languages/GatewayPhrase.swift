/// Texts about the gateway.
package enum GatewayPhrase: Phrase {
  case gateway, onBoard, light, off, acquiring, inUse, background, prompt, locked, nothingWaiting, notSaved, unsaved,
    question, waiting, next, nextOfButton
  case connections, broker, brokerThere, brokerAway, brokerAwayUntimed, brokerUnverified
  case listener, listenerClosed, listenerClosedSince, appOff, appWithoutUser
  case log, logUnchecked, logGood, logFailing, logUnreadable, logBroken
  case time, timeWaiting, timeSample
  case fault, warnings

  package var texts: Texts {
    switch self {
    case .gateway: Texts(en: "Gateway", de: "Gateway", ja: "ゲートウェイ", vi: "Cổng", zhHans: "网关")
    case .onBoard:
      Texts(
        en: "{text} on board {value}", de: "{text} auf Board {value}", ja: "{text}（ボード {value}）",
        vi: "{text} trên bo mạch {value}", zhHans: "{text}（开发板 {value}）")
    case .light: Texts(en: "Light", de: "Leuchte", ja: "表示灯", vi: "Đèn", zhHans: "指示灯")
    case .off: Texts(en: "off", de: "aus", ja: "消灯", vi: "tắt", zhHans: "熄灭")
    case .acquiring: Texts(en: "acquiring", de: "sucht", ja: "測位中", vi: "đang tìm", zhHans: "定位中")
    case .inUse:
      Texts(en: "location in use", de: "Standort in Gebrauch", ja: "位置情報を使用中", vi: "đang dùng vị trí", zhHans: "位置使用中")
    case .background:
      Texts(
        en: "in use in the background", de: "im Hintergrund in Gebrauch", ja: "バックグラウンドで使用中", vi: "đang dùng trong nền",
        zhHans: "后台使用中")
    case .prompt: Texts(en: "asks", de: "fragt", ja: "質問中", vi: "đang hỏi", zhHans: "提问中")
    case .locked:
      Texts(
        en: "locked; hold the button to unlock", de: "gesperrt; Knopf halten entsperrt", ja: "ロック中。長押しで解除",
        vi: "đã khóa; giữ nút để mở", zhHans: "已锁定；长按按钮解锁")
    case .nothingWaiting:
      Texts(
        en: "the press was for no app", de: "der Druck galt keiner App", ja: "どのアプリにも渡していません",
        vi: "lần nhấn không dành cho ứng dụng nào", zhHans: "此次按下未提供给任何应用")
    case .notSaved:
      Texts(en: "not saved", de: "nicht gespeichert", ja: "未保存", vi: "chưa lưu", zhHans: "未保存")
    case .unsaved:
      Texts(
        en: "changes that are in force, but not saved: {count}. A power cut undoes them.",
        de: "wirksame, aber nicht gespeicherte Änderungen: {count}. Ein Stromausfall macht sie rückgängig.",
        ja: "有効だが未保存の変更：{count}。停電で失われます。",
        vi: "thay đổi có hiệu lực nhưng chưa lưu: {count}. Mất điện sẽ hủy chúng.",
        zhHans: "已生效但未保存的更改：{count}。断电会使其失效。")
    case .question: Texts(en: "Question", de: "Frage", ja: "質問", vi: "Câu hỏi", zhHans: "提问")
    case .waiting: Texts(en: "Waiting", de: "Wartend", ja: "待機中", vi: "Đang chờ", zhHans: "等待中")
    case .next:
      Texts(
        en: "{app} (next press)", de: "{app} (nächster Druck)", ja: "{app}（次に押すと）", vi: "{app} (lần nhấn tiếp theo)",
        zhHans: "{app}（下一次按下）")
    case .nextOfButton:
      Texts(
        en: "{app} (next press of {value})", de: "{app} (nächster Druck auf {value})", ja: "{app}（{value} を次に押すと）",
        vi: "{app} (lần nhấn {value} tiếp theo)", zhHans: "{app}（下一次按下 {value}）")
    case .connections: Texts(en: "Connections", de: "Verbindungen", ja: "接続数", vi: "Kết nối", zhHans: "连接数")
    case .broker: Texts(en: "Broker", de: "Broker", ja: "ブローカー", vi: "Máy chủ MQTT", zhHans: "代理")
    case .brokerThere:
      Texts(
        en: "{broker} for {app}: connected", de: "{broker} für {app}: verbunden", ja: "{broker}（{app}）：接続中",
        vi: "{broker} cho {app}: đã kết nối", zhHans: "{broker}（{app}）：已连接")
    case .brokerAway:
      Texts(
        en: "{broker} for {app}: disconnected since {time}; {count} waiting",
        de: "{broker} für {app}: getrennt seit {time}; wartend: {count}", ja: "{broker}（{app}）：{time} から不通、待機 {count}",
        vi: "{broker} cho {app}: mất kết nối từ {time}; đang chờ: {count}",
        zhHans: "{broker}（{app}）：自 {time} 断开；等待 {count}")
    case .brokerAwayUntimed:
      Texts(
        en: "{broker} for {app}: disconnected; {count} waiting", de: "{broker} für {app}: getrennt; wartend: {count}",
        ja: "{broker}（{app}）：不通、待機 {count}", vi: "{broker} cho {app}: mất kết nối; đang chờ: {count}",
        zhHans: "{broker}（{app}）：已断开；等待 {count}")
    case .brokerUnverified:
      Texts(
        en: "MQTT 3.1.1 does not report a fix that the broker drops",
        de: "MQTT 3.1.1 meldet nicht, wenn der Broker einen Standort verwirft", ja: "MQTT 3.1.1 はブローカーが破棄した位置を報告しません",
        vi: "MQTT 3.1.1 không báo khi máy chủ bỏ một vị trí", zhHans: "MQTT 3.1.1 不会报告被代理丢弃的定位")
    case .listener: Texts(en: "Listener", de: "Zugang", ja: "待ち受け", vi: "Cổng nghe", zhHans: "监听")
    case .listenerClosed:
      Texts(
        en: "{value}: closed ({text})", de: "{value}: geschlossen ({text})", ja: "{value}：閉鎖（{text}）",
        vi: "{value}: đã đóng ({text})", zhHans: "{value}：关闭（{text}）")
    case .listenerClosedSince:
      Texts(
        en: "{value}: closed since {time} ({text})", de: "{value}: geschlossen seit {time} ({text})",
        ja: "{value}：{time} から閉鎖（{text}）", vi: "{value}: đã đóng từ {time} ({text})",
        zhHans: "{value}：自 {time} 关闭（{text}）")
    case .appOff: Texts(en: "App off", de: "App aus", ja: "無効なアプリ", vi: "Ứng dụng tắt", zhHans: "停用的应用")
    case .appWithoutUser:
      Texts(
        en: "{app}: its user does not exist", de: "{app}: der Benutzer existiert nicht", ja: "{app}：ユーザーが存在しません",
        vi: "{app}: người dùng không tồn tại", zhHans: "{app}：用户不存在")
    case .log: Texts(en: "Log", de: "Protokoll", ja: "記録", vi: "Nhật ký", zhHans: "记录")
    case .logUnchecked:
      Texts(en: "not checked yet", de: "noch nicht geprüft", ja: "未検査", vi: "chưa kiểm tra", zhHans: "尚未检查")
    case .logGood: Texts(en: "good", de: "in Ordnung", ja: "正常", vi: "tốt", zhHans: "正常")
    case .logFailing:
      Texts(en: "cannot be written", de: "nicht zu beschreiben", ja: "書き込めません", vi: "không ghi được", zhHans: "无法写入")
    case .logUnreadable:
      Texts(en: "cannot be read", de: "nicht zu lesen", ja: "読み取れません", vi: "không đọc được", zhHans: "无法读取")
    case .logBroken:
      Texts(
        en: "was changed: {value}", de: "wurde verändert: {value}", ja: "改変あり：{value}", vi: "đã bị sửa: {value}",
        zhHans: "已被改动：{value}")
    case .time: Texts(en: "Time", de: "Zeit", ja: "時刻", vi: "Thời gian", zhHans: "时间")
    case .timeWaiting:
      Texts(
        en: "no sample for chrony yet", de: "noch kein Messwert für chrony", ja: "chrony への送信はまだなし",
        vi: "chưa có mẫu cho chrony", zhHans: "尚未向 chrony 发送样本")
    case .timeSample:
      Texts(
        en: "last sample {time}, offset {value} s; sent {count}, failed {number}",
        de: "letzter Messwert {time}, Abweichung {value} s; gesendet {count}, fehlgeschlagen {number}",
        ja: "最新の送信 {time}、差 {value} 秒、成功 {count}、失敗 {number}",
        vi: "mẫu cuối {time}, độ lệch {value} giây; đã gửi {count}, lỗi {number}",
        zhHans: "最近样本 {time}，偏差 {value} 秒；成功 {count}，失败 {number}")
    case .fault: Texts(en: "Fault", de: "Fehler", ja: "異常", vi: "Lỗi", zhHans: "故障")
    case .warnings: Texts(en: "Warnings", de: "Warnungen", ja: "警告", vi: "Cảnh báo", zhHans: "警告")
    }
  }
}
