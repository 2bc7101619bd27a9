/*
 * Dangerous commands, one row each. A row denies if its effect cannot be undone or opens the machine; other
 * rows ask. danger_table.c includes this file several times.
 *
 *   check        id of the check that the row raises
 *   command      program, then the operands that must follow it: "git push"; "mkfs.*"
 *   options      one of these is present, in any spelling: "-f --force"; "-m=0777": with this value (a glob);
 *                "": no condition
 *   operands     one of the other operands matches one of these globs, blank-separated, ASCII case ignored;
 *                "": no condition; "^word": only where a subcommand may stand; "\\*": a literal star
 *   except       none of these options or operands is present; "": no condition. "=--help =-h": the word
 *                right after the command is none of these; a later word may be an option's value or belong to
 *                another command
 *   message      its effect: "'excerpt' message"
 *   alternative  may be ""
 */
#define GIT_KEEP "commit or stash first, so that nothing is lost"
/* pathspecs that match everything, here or in the whole work tree */
#define GIT_ALL ". ./ :/ :. \\* \\*\\* ./\\* :/\\*"
#define MAKE_FS "makes a new file system over what is there"
#define STOPS "stops the machine"

/* ---- git: data loss ---- */
DANGER(GIT_DESTRUCTIVE, "git reset", "--hard --merge", "", "", "throws away changes that are not committed",
	GIT_KEEP)
DANGER(GIT_DESTRUCTIVE, "git clean", "-f --force", "", "-n --dry-run -X",
	"deletes files that git does not track", "look with git clean -n first")
DANGER(GIT_DESTRUCTIVE, "git clean", "-d -x", "", "-n --dry-run -X", "deletes files that git does not track",
	"look with git clean -n first")
DANGER(GIT_DESTRUCTIVE, "git clean", "-e --exclude", "", "-n --dry-run",
	"deletes files that git does not track", "look with git clean -n first")
DANGER(PROJECT_FILES_DELETE, "git clean", "-X", "", "-n --dry-run",
	"deletes files that git ignores: builds, installed packages, local settings",
	"look with git clean -n first")
DANGER(GIT_DESTRUCTIVE, "git checkout", "", GIT_ALL, "-b -B --orphan",
	"throws away changes that are not committed", GIT_KEEP)
DANGER(GIT_DESTRUCTIVE, "git checkout", "-f --force", "", "", "throws away changes that are not committed",
	GIT_KEEP)
DANGER(GIT_DESTRUCTIVE, "git switch", "-f --force --discard-changes", "", "",
	"throws away changes that are not committed", GIT_KEEP)
DANGER(GIT_DESTRUCTIVE, "git restore", "", GIT_ALL, "--staged -S",
	"throws away changes that are not committed", GIT_KEEP)
DANGER(GIT_DESTRUCTIVE, "git restore", "-W --worktree", GIT_ALL, "",
	"throws away changes that are not committed", GIT_KEEP)
DANGER(GIT_DESTRUCTIVE, "git stash drop", "", "", "", "throws away stashed changes",
	"git stash branch keeps them on a branch")
DANGER(GIT_DESTRUCTIVE, "git stash clear", "", "", "", "throws away stashed changes", "")
DANGER(GIT_DESTRUCTIVE, "git stash", "", "drop clear", "", "throws away stashed changes", "")
DANGER(GIT_DESTRUCTIVE, "git branch", "-D", "", "", "deletes a branch that may not be merged",
	"git branch -d deletes it only when it is merged")
DANGER(GIT_DESTRUCTIVE, "git branch", "-f --force -M -C", "", "", "moves a branch away from its commits", "")
DANGER(GIT_DESTRUCTIVE, "git checkout", "-B", "*", "", "moves a branch away from its commits",
	"git checkout -b makes a new one")
DANGER(GIT_DESTRUCTIVE, "git switch", "-C --force-create", "*", "", "moves a branch away from its commits",
	"git switch -c makes a new one")
DANGER(GIT_DESTRUCTIVE, "git worktree add", "-B", "", "", "moves a branch away from its commits", "")
DANGER(GIT_DESTRUCTIVE, "git reset", "--keep", "", "", "moves a branch away from its commits", "")
DANGER(GIT_DESTRUCTIVE, "git fetch", "", "+*:refs/heads/* +*:refs/tags/*", "",
	"moves a branch away from its commits", "")
DANGER(GIT_DESTRUCTIVE, "git tag", "-d --delete -f --force", "", "", "deletes or moves a tag", "")
DANGER(GIT_DESTRUCTIVE, "git reflog expire", "", "", "-n --dry-run", "forgets where branches were", "")
DANGER(GIT_DESTRUCTIVE, "git reflog delete", "", "", "-n --dry-run", "forgets where branches were", "")
DANGER(GIT_DESTRUCTIVE, "git reflog drop", "", "", "-n --dry-run", "forgets where branches were", "")
DANGER(GIT_DESTRUCTIVE, "git reflog", "", "expire delete drop", "-n --dry-run", "forgets where branches were",
	"")
DANGER(GIT_DESTRUCTIVE, "git gc", "--prune --aggressive", "", "", "deletes commits that nothing refers to",
	"")
DANGER(GIT_DESTRUCTIVE, "git prune", "", "", "-n --dry-run", "deletes commits that nothing refers to", "")
DANGER(GIT_DESTRUCTIVE, "git update-ref", "-d --delete --stdin", "", "", "deletes or moves a reference", "")
DANGER(GIT_DESTRUCTIVE, "git update-ref HEAD", "", "", "0000000000000000000000000000000000000000",
	"deletes or moves a reference", "")
DANGER(GIT_DESTRUCTIVE, "git update-ref refs/heads/*", "", "", "0000000000000000000000000000000000000000",
	"deletes or moves a reference", "")
DANGER(GIT_DESTRUCTIVE, "git update-ref refs/remotes/*", "", "", "0000000000000000000000000000000000000000",
	"deletes or moves a reference", "")
DANGER(GIT_DESTRUCTIVE, "git update-ref refs/stash", "", "", "0000000000000000000000000000000000000000",
	"deletes or moves a reference", "")
DANGER(GIT_DESTRUCTIVE, "git update-ref refs/tags/*", "", "", "0000000000000000000000000000000000000000",
	"deletes or moves a reference", "")
DANGER(GIT_DESTRUCTIVE, "git symbolic-ref", "-d --delete", "", "", "deletes a reference", "")
DANGER(GIT_DESTRUCTIVE, "git worktree", "", "repair", "",
	"writes .git in every directory that .git/worktrees names, also outside of the project",
	"look at .git/worktrees/*/gitdir first")
DANGER(GIT_DESTRUCTIVE, "git worktree remove", "-f --force", "", "",
	"deletes a worktree with what is not committed in it", "")
DANGER(GIT_DESTRUCTIVE, "git worktree", "-f --force", "remove", "",
	"deletes a worktree with what is not committed in it", "")
DANGER(GIT_DESTRUCTIVE, "git submodule deinit", "", "", "", "deletes the files of a submodule", "")
DANGER(GIT_DESTRUCTIVE, "git rm", "-f --force", "", "--cached",
	"deletes files with changes that are not committed", "")
DANGER(GIT_DESTRUCTIVE, "git checkout-index", "-f --force", "", "",
	"overwrites files with what is in the index", "")
/* Without --force it only creates missing files; the index may belong to another tree. */
DANGER(GIT_DESTRUCTIVE, "git checkout-index", "-a --all --stdin", "", "-n --no-create",
	"writes files by the names that the index has", "git restore with the names of the files")
DANGER(GIT_DESTRUCTIVE, "git read-tree", "--reset -u", "", "", "overwrites files with another tree", "")
DANGER(GIT_DESTRUCTIVE, "git replace", "", "", "-l --list", "replaces objects of the repository", "")
/* ---- git: history ---- */
DANGER(GIT_REWRITE, "git push", "-f --force --mirror --prune", "", "--force-with-lease",
	"overwrites what others may have", "git push --force-with-lease, after asking")
DANGER(GIT_REWRITE, "git push", "--force-with-lease --force-if-includes", "", "",
	"overwrites what others may have", "")
DANGER(GIT_REWRITE, "git push", "-d --delete", "", "", "deletes a branch or tag for everyone", "")
DANGER(GIT_REWRITE, "git push", "", "+* :*", "", "overwrites or deletes what others may have", "")
DANGER(GIT_REWRITE, "git rebase", "", "", "--abort --continue --skip --quit --show-current-patch --edit-todo",
	"rewrites history", "ask first; git branch OLD keeps the commits as they are")
DANGER(GIT_REWRITE, "git filter-branch", "", "", "", "rewrites history", "")
DANGER(GIT_REWRITE, "git filter-repo", "", "", "--analyze --dry-run", "rewrites history", "")
DANGER(GIT_REWRITE, "git-filter-repo", "", "", "--analyze --dry-run", "rewrites history", "")
DANGER(GIT_REWRITE, "bfg", "", "", "", "rewrites history", "")
DANGER(GIT_REWRITE, "git fast-import", "--force", "", "", "rewrites history", "")
DANGER(GIT_AMEND, "git commit", "--amend", "", "", "replaces the last commit", "make a new commit")
/* ---- git: code that runs later ---- */
DANGER(PERSISTENCE, "git config", "",
	"core.hookspath core.fsmonitor core.sshcommand core.pager core.editor core.gitproxy core.askpass "
	"diff.external diff.*.command diff.*.textconv filter.*.clean filter.*.smudge filter.*.process "
	"merge.*.driver credential.helper credential.*.helper gpg.program gpg.*.program sequence.editor "
	"pager.* init.templatedir include.path includeif.* remote.*.uploadpack remote.*.receivepack "
	"remote.*.vcs url.*.insteadof protocol.*.allow http.proxy http.*.proxy man.*.cmd browser.*.cmd "
	"difftool.*.cmd mergetool.*.cmd sendemail.* trailer.*.command trailer.*.cmd "
	"uploadpack.packobjectshook core.attributesfile core.worktree interactive.difffilter ssh.variant",
	"--get --get-all --get-regexp -l --list --unset --unset-all get list unset",
	"makes git run a program", "")
DANGER(PERSISTENCE, "git config", "--global --system", "", "--get --get-all --get-regexp -l --list get list",
	"changes git for every repository", "git config --local")
DANGER(PERSISTENCE, "git config", "-e --edit", "", "", "edits the configuration of git", "")
/* ---- deleting and overwriting by other means ---- */
DANGER(PRIVILEGE, "pwsh", "-ExecutionPolicy -executionpolicy -ep -ex -exec", "", "",
	"turns off a protection against scripts", "leave the policy as it is")
DANGER(PRIVILEGE, "powershell", "-ExecutionPolicy -executionpolicy -ep -ex -exec", "", "",
	"turns off a protection against scripts", "leave the policy as it is")
DANGER(PRIVILEGE, "powershell.exe", "-ExecutionPolicy -executionpolicy -ep -ex -exec", "", "",
	"turns off a protection against scripts", "leave the policy as it is")
DANGER(DESTROY_DATA, "shred", "", "", "--help --version", "overwrites files so that nothing is left", "")
DANGER(DESTROY_DATA, "srm", "", "", "", "overwrites files so that nothing is left", "")
DANGER(DESTROY_DATA, "wipe", "", "", "", "overwrites files so that nothing is left", "")
DANGER(DESTROY_DATA, "trash-empty", "", "", "", "empties the trash", "")
/* ---- disks ---- */
DANGER(SYSTEM_CHANGE, "mknod", "", "b c u", "", "makes a device", "")
DANGER(DISK, "mkfs*", "", "", "", MAKE_FS, "")
DANGER(DISK, "mke2fs", "", "", "-n", MAKE_FS, "")
DANGER(DISK, "mkswap", "", "", "", MAKE_FS, "")
DANGER(DISK, "newfs*", "", "", "", MAKE_FS, "")
DANGER(DISK, "fdisk", "", "", "-l --list", "changes partitions", "")
DANGER(DISK, "sfdisk", "", "", "-l --list -d --dump -J --json -V --verify", "changes partitions", "")
DANGER(DISK, "cfdisk", "", "", "", "changes partitions", "")
DANGER(DISK, "gdisk", "", "", "-l", "changes partitions", "")
DANGER(DISK, "sgdisk", "", "", "-p --print -i --info", "changes partitions", "")
DANGER(DISK, "parted", "", "", "-l --list print", "changes partitions", "")
DANGER(DISK, "partprobe", "", "", "-d", "changes partitions", "")
DANGER(DISK, "wipefs", "-a --all -o --offset -f --force", "", "-n --no-act",
	"wipes what says what is on a disk", "")
DANGER(DISK, "blkdiscard", "", "", "", "throws away the content of a disk", "")
DANGER(DISK, "hdparm",
	"--security-erase --security-erase-enhanced --trim-sector-ranges --write-sector --make-bad-sector",
	"", "", "erases a disk", "")
DANGER(DISK, "nvme", "", "format sanitize delete-ns write-zeroes", "", "erases a disk", "")
DANGER(DISK, "cryptsetup", "", "luksFormat erase luksErase luksKillSlot luksRemoveKey reencrypt", "",
	"makes the content of a disk unreadable", "")
DANGER(DISK, "lvremove", "", "", "", "removes a volume", "")
DANGER(DISK, "vgremove", "", "", "", "removes a volume group", "")
DANGER(DISK, "pvremove", "", "", "", "removes a physical volume", "")
DANGER(DISK, "lvreduce", "", "", "", "cuts a volume", "")
DANGER(DISK, "lvm", "", "lvremove vgremove pvremove lvreduce", "", "removes a volume", "")
DANGER(DISK, "mdadm", "--zero-superblock --remove --stop -S --create -C --fail", "", "",
	"takes a disk array apart", "")
DANGER(DISK, "zfs", "", "destroy rollback", "", "destroys a file system", "")
DANGER(DISK, "zpool", "", "destroy labelclear", "", "destroys a pool", "")
DANGER(DISK, "btrfs", "", "delete", "", "deletes a subvolume or device", "")
DANGER(DISK, "badblocks", "-w", "", "", "overwrites a disk", "")
DANGER(DISK, "diskutil", "", "erase* partitionDisk reformat zeroDisk randomDisk secureErase deleteVolume", "",
	"erases a disk", "")
DANGER(DISK, "format", "", "", "", "erases a disk", "")
DANGER(DISK, "tune2fs", "", "", "-l", "changes a file system", "")
DANGER(DISK, "debugfs", "-w", "", "", "changes a file system", "")
DANGER(DISK, "dmsetup", "", "remove remove_all wipe_table", "", "takes a device away", "")
DANGER(DISK, "flashrom", "-w --write -E --erase", "", "", "writes firmware", "")
DANGER(DISK, "fwupdmgr", "", "install update downgrade", "", "writes firmware", "")
DANGER(DISK, "efibootmgr", "-B -b -c -o -n -D", "", "", "changes how the machine starts", "")
DANGER(DISK, "grub-install", "", "", "", "changes how the machine starts", "")
/* ---- the machine ---- */
DANGER(SYSTEM_STATE, "shutdown", "", "", "-c --help", STOPS, "")
DANGER(SYSTEM_STATE, "reboot", "", "", "--help", STOPS, "")
DANGER(SYSTEM_STATE, "halt", "", "", "--help", STOPS, "")
DANGER(SYSTEM_STATE, "poweroff", "", "", "--help", STOPS, "")
DANGER(SYSTEM_STATE, "init", "", "0 1 6 s S", "", STOPS, "")
DANGER(SYSTEM_STATE, "telinit", "", "0 1 6 s S", "", STOPS, "")
DANGER(SYSTEM_STATE, "systemctl", "",
	"reboot halt poweroff suspend hibernate kexec rescue emergency hybrid-sleep isolate soft-reboot",
	"--help", STOPS, "")
DANGER(SYSTEM_STATE, "loginctl", "", "reboot poweroff suspend hibernate terminate-* kill-*", "",
	"ends sessions or stops the machine", "")
DANGER(SYSTEM_STATE, "kexec", "", "", "", "starts another kernel", "")
DANGER(SYSTEM_STATE, "pm-suspend", "", "", "", STOPS, "")
DANGER(SYSTEM_STATE, "rtcwake", "", "", "", STOPS, "")
DANGER(SYSTEM_STATE, "killall5", "", "", "", "ends everything", "")
DANGER(SYSTEM_STATE, "pkill", "-u -U --euid --uid", "", "", "ends all processes of a user", "")
DANGER(SYSTEM_STATE, "pkill", "", ". .*", "", "ends everything", "")
DANGER(SYSTEM_STATE, "pkill", "", "systemd sshd init dbus* Xorg gdm* login bash zsh", "",
	"ends what keeps the machine running", "")
DANGER(SYSTEM_STATE, "killall", "", "systemd sshd init dbus* Xorg gdm* login bash zsh", "",
	"ends what keeps the machine running", "")
DANGER(SYSTEM_STATE, "killall", "-u --user", "", "", "ends all processes of a user", "")
DANGER(SYSTEM_STATE, "setenforce", "", "0 permissive", "", "switches a protection off", "")
DANGER(SYSTEM_STATE, "aa-teardown", "", "", "", "switches a protection off", "")
DANGER(SYSTEM_STATE, "aa-disable", "", "", "", "switches a protection off", "")
DANGER(SYSTEM_STATE, "aa-complain", "", "", "", "switches a protection off", "")
DANGER(SYSTEM_STATE, "apparmor_parser", "-R --remove", "", "", "switches a protection off", "")
DANGER(SYSTEM_STATE, "ufw", "", "disable reset", "", "switches the firewall off", "")
DANGER(SYSTEM_STATE, "iptables", "-F --flush -X --delete-chain", "", "", "switches the firewall off", "")
DANGER(SYSTEM_STATE, "ip6tables", "-F --flush -X --delete-chain", "", "", "switches the firewall off", "")
DANGER(SYSTEM_STATE, "iptables", "-P=INPUT -P=FORWARD -P=OUTPUT --policy=INPUT", "ACCEPT DROP", "",
	"changes what the firewall lets through", "")
DANGER(SYSTEM_STATE, "nft", "", "flush", "", "switches the firewall off", "")
DANGER(SYSTEM_STATE, "nft", "", "delete destroy reset", "", "takes rules out of the firewall", "")
DANGER(SYSTEM_STATE, "firewall-cmd", "--panic-on --remove-service --set-default-zone", "", "",
	"changes the firewall", "")
DANGER(SYSTEM_STATE, "systemctl", "",
	"firewalld* ufw* auditd* apparmor* fail2ban* iptables* nftables* falcon* clamav* osquery* sshd* "
	"ssh.service systemd-* dbus*", "status show cat is-active is-enabled list-units list-unit-files help",
	"touches a service that protects or runs the machine", "")
DANGER(SYSTEM_STATE, "service", "",
	"firewalld ufw auditd apparmor fail2ban iptables nftables falcon-sensor clamav-daemon sshd ssh",
	"status", "touches a service that protects or runs the machine", "")
DANGER(SYSTEM_STATE, "auditctl", "-D -e", "", "", "switches the audit log off", "")
DANGER(SYSTEM_STATE, "swapoff", "-a --all", "", "", "takes memory away from the machine", "")
DANGER(SYSTEM_STATE, "umount", "-a --all -l --lazy -f --force", "", "", "takes file systems away", "")
DANGER(SYSTEM_STATE, "sysctl", "",
	"kernel.sysrq=* kernel.panic=* vm.drop_caches=* kernel.randomize_va_space=0 kernel.core_pattern=* "
	"net.ipv4.ip_forward=1 kernel.modprobe=*", "", "changes how the kernel protects itself", "")
DANGER(SYSTEM_STATE, "csrutil", "", "disable", "", "switches a protection off", "")
DANGER(SYSTEM_STATE, "spctl", "--master-disable --global-disable", "", "", "switches a protection off", "")
DANGER(SYSTEM_STATE, "history", "-c -w", "", "", "wipes the traces of what was run", "")
DANGER(SYSTEM_STATE, "journalctl", "--vacuum-size --vacuum-time --vacuum-files --rotate", "", "",
	"deletes logs", "")
DANGER(SYSTEM_STATE, "wevtutil", "", "cl clear-log", "", "deletes logs", "")
DANGER(SYSTEM_STATE, "dmesg", "-C --clear -c --read-clear", "", "", "deletes logs", "")
DANGER(SYSTEM_STATE, "userdel", "", "", "", "removes a user", "")
DANGER(SYSTEM_STATE, "deluser", "", "", "", "removes a user", "")
DANGER(SYSTEM_STATE, "groupdel", "", "", "", "removes a group", "")
DANGER(SYSTEM_STATE, "apt", "", "purge autoremove remove autopurge", "--dry-run -s --simulate",
	"removes packages from the system", "")
DANGER(SYSTEM_STATE, "apt-get", "", "purge autoremove remove autopurge", "--dry-run -s --simulate",
	"removes packages from the system", "")
DANGER(SYSTEM_STATE, "dpkg", "-P --purge -r --remove --force-all --force-remove-essential", "", "",
	"removes packages from the system", "")
DANGER(SYSTEM_STATE, "rpm", "-e --erase", "", "", "removes packages from the system", "")
DANGER(SYSTEM_STATE, "dnf", "", "remove autoremove erase", "", "removes packages from the system", "")
DANGER(SYSTEM_STATE, "yum", "", "remove autoremove erase", "", "removes packages from the system", "")
DANGER(SYSTEM_STATE, "pacman", "-R -Rs -Rns -Rdd", "", "", "removes packages from the system", "")
DANGER(SYSTEM_STATE, "apk", "", "del", "", "removes packages from the system", "")
/* ---- changes to the system that can be undone ---- */
DANGER(SYSTEM_CHANGE, "mount", "", "*", "", "changes what is mounted", "")
DANGER(SYSTEM_CHANGE, "mount", "-a --all", "", "", "changes what is mounted", "")
DANGER(SYSTEM_CHANGE, "umount", "", "", "", "changes what is mounted", "")
DANGER(SYSTEM_CHANGE, "losetup", "", "", "-a --all -l --list -j", "changes devices", "")
DANGER(SYSTEM_CHANGE, "sysctl", "-w --write -p --load --system", "", "", "changes the kernel's settings", "")
DANGER(SYSTEM_CHANGE, "sysctl", "", "*=*", "", "changes the kernel's settings", "")
DANGER(SYSTEM_CHANGE, "modprobe", "", "", "-n --dry-run --show-depends -c", "changes the kernel's modules",
	"")
DANGER(SYSTEM_CHANGE, "insmod", "", "", "", "loads code into the kernel", "")
DANGER(SYSTEM_CHANGE, "rmmod", "", "", "", "changes the kernel's modules", "")
DANGER(SYSTEM_CHANGE, "hostnamectl", "", "set-* hostname", "status", "changes the machine's name", "")
DANGER(SYSTEM_CHANGE, "timedatectl", "", "set-*", "", "changes the clock", "")
DANGER(SYSTEM_CHANGE, "date", "-s --set", "", "", "changes the clock", "")
DANGER(SYSTEM_CHANGE, "hwclock", "-w --systohc -s --hctosys --set", "", "", "changes the clock", "")
DANGER(SYSTEM_CHANGE, "renice", "", "", "", "changes running processes", "")
DANGER(SYSTEM_CHANGE, "chsh", "", "", "", "changes the login shell", "")
DANGER(SYSTEM_CHANGE, "update-alternatives", "", "", "--list --display --query --get-selections",
	"changes which program a name means", "")
DANGER(SYSTEM_CHANGE, "ldconfig", "", "", "-p --print-cache -N", "changes which libraries programs load", "")
/* ---- code that runs later ---- */
DANGER(PERSISTENCE, "crontab", "", "", "-l", "sets up what runs later", "")
DANGER(PERSISTENCE, "at", "", "", "-l -V", "sets up what runs later", "")
DANGER(PERSISTENCE, "batch", "", "", "", "sets up what runs later", "")
DANGER(PERSISTENCE, "systemctl", "",
	"enable disable mask unmask link edit set-default preset reenable daemon-reload", "",
	"changes which services start", "")
DANGER(PERSISTENCE, "systemctl", "", "start stop restart reload kill reload-or-restart try-restart", "",
	"starts or stops services", "")
DANGER(PERSISTENCE, "service", "", "start stop restart reload", "", "starts or stops services", "")
DANGER(PERSISTENCE, "update-rc.d", "", "", "", "changes which services start", "")
DANGER(PERSISTENCE, "chkconfig", "", "on off", "", "changes which services start", "")
DANGER(PERSISTENCE, "rc-update", "", "add del", "", "changes which services start", "")
DANGER(PERSISTENCE, "launchctl", "", "load bootstrap enable submit", "", "changes which services start", "")
DANGER(PERSISTENCE, "schtasks", "", "/create", "", "sets up what runs later", "")
DANGER(PERSISTENCE, "systemd-run", "--on-calendar --on-boot --on-active --on-startup --timer-property", "",
	"", "sets up what runs later", "")
DANGER(PERSISTENCE, "git lfs install", "", "", "", "sets up git hooks", "")
DANGER(PERSISTENCE, "pre-commit install", "", "", "", "sets up git hooks", "")
DANGER(PERSISTENCE, "husky", "", "install init add set", "", "sets up git hooks", "")
DANGER(PERSISTENCE, "pm2", "", "startup save", "", "sets up what runs later", "")
/* ---- privileges ---- */
DANGER(OPEN_ACCESS, "setcap", "", "", "-v", "gives a program rights of root", "")
DANGER(OPEN_ACCESS, "setfacl", "-m --modify -M", "", "", "changes who may use a file", "")
DANGER(OPEN_ACCESS, "visudo", "", "", "-c --check", "changes who may become root", "")
DANGER(OPEN_ACCESS, "ssh-copy-id", "", "", "", "lets a key log in to another machine", "")
DANGER(OPEN_ACCESS, "xhost", "", "+*", "", "lets others use this screen", "")
DANGER(OPEN_ACCESS, "exportfs", "", "", "-v", "shares directories with others", "")
DANGER(OPEN_ACCESS, "ngrok", "", "", "version help config", "opens this machine to the internet", "")
DANGER(OPEN_ACCESS, "cloudflared", "", "tunnel access", "", "opens this machine to the internet", "")
DANGER(OPEN_ACCESS, "localtunnel", "", "", "", "opens this machine to the internet", "")
DANGER(OPEN_ACCESS, "lt", "-p --port", "", "", "opens this machine to the internet", "")
DANGER(OPEN_ACCESS, "tailscale", "", "funnel serve", "", "opens this machine to others", "")
DANGER(OPEN_ACCESS, "ssh", "-R", "", "", "opens this machine to another", "")
DANGER(OPEN_ACCESS, "usermod", "-G -aG -g", "sudo wheel root docker adm admin", "",
	"gives a user rights of root", "")
DANGER(OPEN_ACCESS, "usermod", "-G=*sudo* -G=*wheel* -G=*docker* -G=*root* -G=*adm*", "", "",
	"gives a user rights of root", "")
DANGER(OPEN_ACCESS, "gpasswd", "-a --add -M", "", "", "gives a user rights of a group", "")
DANGER(OPEN_ACCESS, "adduser", "", "sudo wheel root docker", "", "gives a user rights of root", "")
DANGER(OPEN_ACCESS, "net", "", "/add", "", "adds a user", "")
DANGER(PRIVILEGE, "useradd", "", "", "-D", "adds a user", "")
DANGER(PRIVILEGE, "adduser", "", "", "", "adds a user", "")
DANGER(PRIVILEGE, "usermod", "", "", "", "changes a user", "")
DANGER(PRIVILEGE, "groupadd", "", "", "", "adds a group", "")
DANGER(PRIVILEGE, "passwd", "", "", "-S --status", "changes a password", "")
DANGER(PRIVILEGE, "chpasswd", "", "", "", "changes passwords", "")
DANGER(PRIVILEGE, "chown root*", "", "", "", "gives a file to root", "")
DANGER(PRIVILEGE, "chown 0*", "", "", "", "gives a file to root", "")
DANGER(PRIVILEGE, "chattr", "", "", "", "changes attributes that only root can", "")
DANGER(PRIVILEGE, "chroot", "", "", "--help --version", "runs with another root directory", "")
/* ---- container escapes ---- */
DANGER(CONTAINER_ESCAPE, "docker run",
	"--privileged --pid=host --ipc=host --uts=host --userns=host --cgroupns=host", "", "",
	"starts a container without walls: it can do anything to this machine", "")
DANGER(CONTAINER_ESCAPE, "docker run",
	"--cap-add=ALL --cap-add=*SYS_* --cap-add=*DAC_* --cap-add=*NET_ADMIN* --security-opt=*unconfined* "
	"--security-opt=*disable* --device=/dev*", "", "", "gives a container rights over this machine", "")
DANGER(CONTAINER_ESCAPE, "docker run",
	"-v=/:* -v=/etc* -v=/root* -v=/home:* -v=/var/run/docker.sock* -v=/run/docker.sock* -v=/proc* "
	"-v=/sys* -v=/boot* -v=/dev:* -v=/usr:* -v=/var:* -v=//:*", "", "",
	"gives a container files of this machine", "mount the project's directory alone")
DANGER(CONTAINER_ESCAPE, "docker run",
	"--mount=*source=/,* --mount=*src=/,* --mount=*docker.sock* --mount=*source=/etc* "
	"--mount=*src=/etc* --mount=*source=/root* --volumes-from=*", "", "",
	"gives a container files of this machine", "mount the project's directory alone")
DANGER(CONTAINER_ESCAPE, "podman run",
	"--privileged --pid=host --cap-add=ALL --cap-add=*SYS_ADMIN* -v=/:* -v=/etc* -v=/root* "
	"--security-opt=*unconfined*", "", "", "starts a container that can reach this machine", "")
DANGER(CONTAINER_ESCAPE, "docker create",
	"--privileged --pid=host --cap-add=ALL -v=/:* -v=/etc* -v=*docker.sock*", "", "",
	"makes a container that can reach this machine", "")
DANGER(CONTAINER_ESCAPE, "docker exec", "--privileged", "", "",
	"runs in a container with rights over this machine", "")
DANGER(CONTAINER_ESCAPE, "curl",
	"--unix-socket=*docker.sock* --unix-socket=*containerd* --abstract-unix-socket=*docker*", "", "",
	"talks to what starts containers", "")
DANGER(PRIVILEGE, "unshare", "", "", "--help --version", "runs in namespaces of its own", "")
DANGER(CONTAINER_ESCAPE, "nsenter", "", "", "--help --version", "enters the namespaces of another process",
	"")
DANGER(CONTAINER_ESCAPE, "kubectl", "", "debug", "", "starts a container with rights over a node", "")
DANGER(CONTAINER_ESCAPE, "ctr", "", "run exec", "", "starts a container that can reach this machine", "")
DANGER(CONTAINER_ESCAPE, "runc", "", "run exec create", "", "starts a container that can reach this machine",
	"")
/* ---- containers: data loss ---- */
DANGER(INFRASTRUCTURE, "docker system prune", "", "", "", "deletes containers, images and perhaps volumes",
	"remove them by name")
DANGER(INFRASTRUCTURE, "docker volume prune", "", "", "", "deletes volumes with their data",
	"remove them by name")
DANGER(INFRASTRUCTURE, "docker volume rm", "", "", "", "deletes volumes with their data", "")
DANGER(INFRASTRUCTURE, "docker", "", "prune", "", "deletes what is not in use at the moment",
	"remove it by name")
DANGER(INFRASTRUCTURE, "docker compose down", "-v --volumes --rmi", "", "", "deletes volumes with their data",
	"docker compose down")
DANGER(INFRASTRUCTURE, "docker-compose", "-v --volumes --rmi", "down", "", "deletes volumes with their data",
	"docker-compose down")
DANGER(INFRASTRUCTURE, "docker swarm", "", "leave", "", "takes this machine out of a cluster", "")
DANGER(INFRASTRUCTURE, "podman", "", "prune reset", "", "deletes what is not in use at the moment", "")
DANGER(REMOTE_CHANGE, "docker cp", "", "*:*", "", "copies into or out of a container", "")
DANGER(REMOTE_CHANGE, "docker rm", "", "", "", "removes containers", "")
DANGER(REMOTE_CHANGE, "docker rmi", "", "", "", "removes images", "")
DANGER(REMOTE_CHANGE, "docker", "", "rm rmi", "", "removes containers or images", "")
DANGER(REMOTE_CHANGE, "docker", "", "stop kill restart push", "", "changes what runs in containers", "")
DANGER(REMOTE_CHANGE, "docker compose", "", "down stop kill rm", "", "changes what runs in containers", "")
/* ---- clusters and clouds ---- */
DANGER(INFRASTRUCTURE, "kubectl delete", "", "", "--dry-run", "deletes from a cluster",
	"look with --dry-run=server first")
DANGER(INFRASTRUCTURE, "kubectl", "", "delete", "--dry-run get describe logs explain",
	"deletes from a cluster", "look with --dry-run=server first")
DANGER(INFRASTRUCTURE, "kubectl", "", "drain cordon taint", "get describe explain",
	"takes a node out of work", "")
DANGER(INFRASTRUCTURE, "kubectl", "--force", "replace", "", "deletes and makes anew in a cluster", "")
DANGER(INFRASTRUCTURE, "kubectl", "--replicas=0", "scale", "", "stops a workload", "")
DANGER(INFRASTRUCTURE, "oc", "", "delete", "get describe", "deletes from a cluster", "")
DANGER(INFRASTRUCTURE, "helm", "", "uninstall delete un del", "list ls status get --dry-run",
	"removes a release from a cluster", "")
DANGER(INFRASTRUCTURE, "helmfile", "", "destroy delete", "", "removes releases from a cluster", "")
DANGER(INFRASTRUCTURE, "kind", "", "delete", "get", "deletes a cluster", "")
DANGER(INFRASTRUCTURE, "minikube", "", "delete", "", "deletes a cluster", "")
DANGER(INFRASTRUCTURE, "k3d", "", "delete", "", "deletes a cluster", "")
DANGER(INFRASTRUCTURE, "eksctl", "", "delete", "", "deletes a cluster", "")
DANGER(INFRASTRUCTURE, "argocd", "", "delete", "", "deletes an application", "")
DANGER(INFRASTRUCTURE, "terraform", "", "destroy", "", "destroys infrastructure",
	"terraform plan -destroy shows what would go")
DANGER(INFRASTRUCTURE, "tofu", "", "destroy", "", "destroys infrastructure",
	"tofu plan -destroy shows what would go")
DANGER(INFRASTRUCTURE, "terragrunt", "", "destroy destroy-all", "", "destroys infrastructure", "")
DANGER(INFRASTRUCTURE, "terraform", "-destroy", "apply", "", "destroys infrastructure", "")
DANGER(INFRASTRUCTURE, "terraform", "-auto-approve", "apply", "",
	"changes infrastructure without a look at the plan", "terraform plan first")
DANGER(INFRASTRUCTURE, "tofu", "-auto-approve -destroy", "apply", "",
	"changes infrastructure without a look at the plan", "tofu plan first")
DANGER(INFRASTRUCTURE, "terraform", "", "force-unlock", "", "changes the state of infrastructure", "")
DANGER(REMOTE_CHANGE, "terraform", "", "^taint ^untaint", "", "changes what the next apply makes anew",
	"terraform plan shows what that would be")
DANGER(INFRASTRUCTURE, "terraform state", "", "rm push replace-provider mv", "",
	"changes the state of infrastructure", "")
DANGER(INFRASTRUCTURE, "terraform", "", "rm", "", "changes the state of infrastructure", "")
DANGER(INFRASTRUCTURE, "terraform workspace", "", "delete", "", "deletes a workspace", "")
DANGER(INFRASTRUCTURE, "pulumi", "", "destroy rm", "", "destroys infrastructure", "")
DANGER(INFRASTRUCTURE, "cdk", "", "destroy", "", "destroys infrastructure", "")
DANGER(INFRASTRUCTURE, "sam", "", "delete", "", "destroys infrastructure", "")
DANGER(INFRASTRUCTURE, "serverless", "", "remove", "", "destroys infrastructure", "")
DANGER(INFRASTRUCTURE, "sls", "", "remove", "", "destroys infrastructure", "")
DANGER(INFRASTRUCTURE, "vagrant", "", "destroy", "", "destroys a virtual machine", "")
DANGER(INFRASTRUCTURE, "ansible", "", "*", "--check -C --list-hosts --syntax-check", "changes other machines",
	"run it with --check first")
DANGER(INFRASTRUCTURE, "aws", "",
	"delete-* terminate-* remove-* deregister-* destroy-* purge-* stop-* reboot-* revoke-* detach-* "
	"disable-* disassociate-* cancel-* reset-* batch-delete-* delete", "--dry-run help",
	"deletes or stops something in the cloud", "")
DANGER(INFRASTRUCTURE, "aws s3", "", "rm rb", "--dryrun", "deletes stored data", "look with --dryrun first")
DANGER(INFRASTRUCTURE, "aws s3", "--delete", "sync", "--dryrun", "deletes stored data",
	"look with --dryrun first")
DANGER(INFRASTRUCTURE, "aws", "", "rm rb", "--dryrun", "deletes stored data", "look with --dryrun first")
DANGER(INFRASTRUCTURE, "gcloud", "", "delete stop reset remove-* destroy abandon-instances", "--help",
	"deletes or stops something in the cloud", "")
DANGER(INFRASTRUCTURE, "gsutil", "", "rm rb", "", "deletes stored data", "")
DANGER(INFRASTRUCTURE, "gsutil", "-d", "rsync", "-n", "deletes stored data", "")
DANGER(INFRASTRUCTURE, "bq", "", "rm", "", "deletes a table or data set", "")
DANGER(INFRASTRUCTURE, "az", "", "delete purge stop deallocate remove", "--help",
	"deletes or stops something in the cloud", "")
DANGER(INFRASTRUCTURE, "azcopy", "", "rm remove", "", "deletes stored data", "")
DANGER(INFRASTRUCTURE, "doctl", "", "delete", "", "deletes something in the cloud", "")
DANGER(INFRASTRUCTURE, "flyctl", "", "destroy", "", "destroys an application", "")
DANGER(INFRASTRUCTURE, "fly", "", "destroy", "", "destroys an application", "")
DANGER(INFRASTRUCTURE, "heroku", "", "apps:destroy pg:reset addons:destroy ps:scale destroy", "",
	"destroys an application or its data", "")
DANGER(INFRASTRUCTURE, "vercel", "", "rm remove", "", "removes a deployment", "")
DANGER(INFRASTRUCTURE, "netlify", "", "sites:delete", "", "removes a site", "")
DANGER(INFRASTRUCTURE, "wrangler", "", "delete", "", "removes a deployment", "")
DANGER(INFRASTRUCTURE, "firebase", "", "*:delete *:disable firestore:delete", "",
	"deletes data or a deployment", "")
DANGER(INFRASTRUCTURE, "linode-cli", "", "delete", "", "deletes something in the cloud", "")
DANGER(INFRASTRUCTURE, "hcloud", "", "delete", "", "deletes something in the cloud", "")
DANGER(INFRASTRUCTURE, "openstack", "", "delete", "", "deletes something in the cloud", "")
DANGER(INFRASTRUCTURE, "rclone", "", "delete purge deletefile cleanup sync rmdir rmdirs", "--dry-run -n",
	"deletes stored data", "look with --dry-run first")
DANGER(INFRASTRUCTURE, "mc", "", "rm rb", "", "deletes stored data", "")
DANGER(INFRASTRUCTURE, "s3cmd", "", "del rm rb", "", "deletes stored data", "")
DANGER(INFRASTRUCTURE, "restic", "", "forget prune", "", "deletes backups", "")
DANGER(INFRASTRUCTURE, "borg", "", "delete prune", "", "deletes backups", "")
DANGER(INFRASTRUCTURE, "virsh", "", "destroy undefine vol-delete", "", "destroys a virtual machine", "")
DANGER(INFRASTRUCTURE, "gh repo", "", "delete archive", "", "deletes or closes a repository", "")
DANGER(INFRASTRUCTURE, "gh", "", "delete", "list view --help", "deletes something for everyone", "")
DANGER(INFRASTRUCTURE, "gh api", "-X=DELETE --method=DELETE", "", "", "deletes something for everyone", "")
DANGER(INFRASTRUCTURE, "glab", "", "delete", "list view", "deletes something for everyone", "")
DANGER(INFRASTRUCTURE, "npm", "", "^unpublish ^deprecate", "", "takes a package away from others", "")
DANGER(INFRASTRUCTURE, "cargo", "", "^yank", "", "takes a package away from others", "")
DANGER(INFRASTRUCTURE, "gem", "", "yank", "", "takes a package away from others", "")
DANGER(INFRASTRUCTURE, "vault", "", "delete destroy", "read list", "deletes secrets", "")
DANGER(INFRASTRUCTURE, "consul", "", "delete leave", "", "deletes configuration", "")
DANGER(INFRASTRUCTURE, "etcdctl", "", "del", "", "deletes configuration", "")
DANGER(INFRASTRUCTURE, "kafka-topics*", "--delete", "", "", "deletes a topic with its data", "")
DANGER(INFRASTRUCTURE, "rabbitmqctl", "", "reset force_reset delete_* purge_queue", "", "deletes queues", "")
/* ---- databases by their tools ---- */
DANGER(DATABASE_DESTROY, "dropdb", "", "", "--help", "deletes a database", "")
DANGER(DATABASE_DESTROY, "dropuser", "", "", "--help", "deletes a database user", "")
DANGER(NETWORK, "node*",
	"--inspect=*.* --inspect=*:* --inspect-brk=*.* --inspect-brk=*:* --inspect-wait=*.* "
	"--inspect-wait=*:* --inspect-port=*.* --inspect-port=*:*", "",
	"--inspect=127.* --inspect-brk=127.* --inspect-wait=127.* --inspect-port=127.* --inspect=localhost* "
	"--inspect-brk=localhost* --inspect-wait=localhost* --inspect-port=localhost*",
	"lets other machines run code in it", "debug on 127.0.0.1")
DANGER(NETWORK, "psql", "-d=*host*=* --dbname=*host*=* -d=*service*=* --dbname=*service*=*", "", "",
	"may lead to another machine", "")
DANGER(NETWORK, "psql", "", "*host*=* *service*=*", "", "may lead to another machine", "")
DANGER(NETWORK, "pg_dump*", "-d=*host*=* --dbname=*host*=* -d=*service*=* --dbname=*service*=*", "", "",
	"may lead to another machine", "")
DANGER(NETWORK, "pg_dump*", "", "*host*=* *service*=*", "", "may lead to another machine", "")
DANGER(NETWORK, "pg_isready", "-d=*host*=* --dbname=*host*=* -d=*service*=* --dbname=*service*=*", "", "",
	"may lead to another machine", "")
DANGER(NETWORK, "pg_isready", "", "*host*=* *service*=*", "", "may lead to another machine", "")
DANGER(DATABASE_DESTROY, "mysqladmin", "", "drop shutdown", "", "deletes a database", "")
DANGER(DATABASE_DESTROY, "redis-cli", "", "flushall flushdb shutdown", "", "deletes all data", "")
DANGER(DATABASE_DESTROY, "valkey-cli", "", "flushall flushdb shutdown", "", "deletes all data", "")
DANGER(DATABASE_DESTROY, "keydb-cli", "", "flushall flushdb shutdown", "", "deletes all data", "")
DANGER(DATABASE_DESTROY, "pg_restore", "-c --clean", "", "", "deletes what is in a database first", "")
DANGER(DATABASE_DESTROY, "pg_ctl", "", "initdb", "", "makes a new database", "")
DANGER(DATABASE_DESTROY, "mongorestore", "--drop", "", "", "deletes what is in a database first", "")
DANGER(DATABASE_DESTROY, "rails", "", "db:drop db:reset db:purge db:migrate:reset db:truncate_all", "",
	"deletes a database", "")
DANGER(DATABASE_DESTROY, "rake", "", "db:drop db:reset db:purge db:migrate:reset db:truncate_all", "",
	"deletes a database", "")
DANGER(DATABASE_DESTROY, "prisma", "", "reset", "", "deletes a database", "")
DANGER(DATABASE_DESTROY, "prisma", "--force-reset --accept-data-loss", "", "", "deletes a database", "")
DANGER(DATABASE_DESTROY, "supabase", "", "reset", "", "deletes a database", "")
DANGER(DATABASE_DESTROY, "influx", "", "delete", "", "deletes data", "")
DANGER(DATABASE_DESTROY, "alembic", "", "downgrade", "", "takes a database back", "")
/* ---- reverse shells ---- */
DANGER(REVERSE_SHELL, "nc", "-e -c", "", "-z", "hands a shell to another machine", "")
DANGER(REVERSE_SHELL, "ncat", "-e -c --exec --sh-exec --lua-exec", "", "", "hands a shell to another machine",
	"")
DANGER(REVERSE_SHELL, "netcat", "-e -c", "", "-z", "hands a shell to another machine", "")
DANGER(REVERSE_SHELL, "nc.traditional", "-e -c", "", "", "hands a shell to another machine", "")
DANGER(REVERSE_SHELL, "socat", "", "*exec:* *system:* *shell:* *exec=* *pty*", "",
	"hands a shell to another machine", "")
DANGER(REVERSE_SHELL, "openssl", "", "s_server", "", "listens for other machines", "")
DANGER(REVERSE_SHELL, "msfvenom", "", "", "", "makes code that attacks", "")
DANGER(REVERSE_SHELL, "msfconsole", "", "", "", "attacks other machines", "")
/* ---- secrets by their tools ---- */
DANGER(SECRET_READ, "security", "", "find-generic-password find-internet-password dump-keychain export", "",
	"shows passwords", "")
DANGER(SECRET_READ, "pass", "", "", "ls list find version help", "shows passwords", "")
DANGER(SECRET_READ, "op", "", "read item get document", "whoami", "shows passwords", "")
DANGER(SECRET_READ, "secret-tool", "", "lookup search", "", "shows passwords", "")
DANGER(SECRET_READ, "vault", "", "read get", "", "shows secrets", "")
DANGER(SECRET_READ, "gpg", "--export-secret-keys --export-secret-subkeys -d --decrypt", "", "",
	"shows secrets", "")
DANGER(SECRET_READ, "gh auth token", "", "", "", "shows a token", "")
DANGER(SECRET_READ, "gh auth status", "-t --show-token", "", "", "shows a token", "")
DANGER(SECRET_READ, "gh auth", "", "token", "", "shows a token", "")
DANGER(SECRET_READ, "gcloud auth", "", "print-access-token print-identity-token", "", "shows a token", "")
DANGER(SECRET_READ, "gcloud", "", "print-access-token print-identity-token", "", "shows a token", "")
DANGER(SECRET_READ, "az account", "", "get-access-token", "", "shows a token", "")
DANGER(SECRET_READ, "az", "", "get-access-token", "", "shows a token", "")
DANGER(SECRET_READ, "aws", "",
	"get-secret-value get-session-token export-credentials get-login-password get-parameter", "",
	"shows secrets", "")
DANGER(SECRET_READ, "kubectl", "", "secret secrets secret/*", "", "shows secrets", "")
DANGER(SECRET_READ, "kubectl", "--raw", "view", "", "shows the credentials of clusters", "")
DANGER(SECRET_READ, "ps", "", "e ew* ef eax* eaux* axe* auxe* axw*e auxw*e xe ae", "",
	"shows the environment of processes", "")
DANGER(SECRET_READ, "npm token", "", "", "", "shows tokens", "")
DANGER(SECRET_READ, "git credential", "", "fill", "", "shows a password", "")
DANGER(SECRET_READ, "git credential-*", "", "get", "", "shows a password", "")
DANGER(SECRET_READ, "unshadow", "", "", "", "shows password hashes", "")
DANGER(SECRET_READ, "strace", "-p --attach", "", "", "shows what another program reads and writes", "")
DANGER(SECRET_READ, "gdb", "-p --pid", "", "", "shows the memory of another program", "")
DANGER(SECRET_READ, "lldb", "-p --attach-pid -n --attach-name", "", "", "shows the memory of another program",
	"")
DANGER(SECRET_READ, "gcore", "", "", "", "shows the memory of another program", "")
/* ---- remote changes that others see ---- */
DANGER(REMOTE_CHANGE, "git push", "", "", "--dry-run -n", "changes what others fetch", "")
DANGER(REMOTE_CHANGE, "gh", "", "merge close create edit comment ready reopen review",
	"list view status diff checks --help", "changes what others see", "")
DANGER(REMOTE_CHANGE, "gh api", "-X -f -F --method --field --raw-field --input", "", "",
	"may change what others see", "")
DANGER(REMOTE_CHANGE, "kubectl", "",
	"apply create patch edit replace scale rollout set label annotate expose run exec cp attach "
	"autoscale", "get describe logs explain --dry-run diff", "changes a cluster", "")
DANGER(REMOTE_CHANGE, "helm", "", "install upgrade rollback", "--dry-run", "changes a cluster", "")
DANGER(REMOTE_CHANGE, "helmfile", "", "apply sync", "", "changes a cluster", "")
DANGER(REMOTE_CHANGE, "terraform", "", "apply import", "", "changes infrastructure", "terraform plan first")
DANGER(REMOTE_CHANGE, "tofu", "", "apply import", "", "changes infrastructure", "tofu plan first")
DANGER(REMOTE_CHANGE, "pulumi", "", "up update", "", "changes infrastructure", "pulumi preview first")
DANGER(REMOTE_CHANGE, "ansible-playbook", "", "",
	"--check -C --syntax-check --list-hosts --list-tasks --version", "changes other machines",
	"run it with --check first")
DANGER(REMOTE_CHANGE, "npm", "", "^publish", "--dry-run", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "npm", "", "^dist-tag ^owner ^access", "", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "yarn npm", "", "publish tag", "", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "yarn", "", "^publish", "", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "pnpm", "", "^publish", "--dry-run", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "cargo", "", "^publish", "--dry-run", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "twine", "", "upload", "", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "gem", "", "push", "", "publishes for everyone", "")
DANGER(REMOTE_CHANGE, "docker push", "", "", "", "publishes for everyone", "")
/* ---- caisson and its policy ---- */
#define A_PERSON "a person runs this at a terminal"
#define HELP "=--help =-h"
DANGER(CAISSON_MILDER, "caisson allow", "", "", HELP, "would make caisson milder", A_PERSON)
DANGER(CAISSON_MILDER, "caisson ask", "", "", HELP, "would change caisson's policy", A_PERSON)
DANGER(CAISSON_MILDER, "caisson deny", "", "", HELP, "would change caisson's policy", A_PERSON)
DANGER(CAISSON_MILDER, "caisson pause", "", "", HELP, "would stop caisson from guarding", A_PERSON)
DANGER(CAISSON_MILDER, "caisson suggest", "--apply", "", HELP, "would make caisson milder", A_PERSON)
DANGER(CAISSON_MILDER, "caisson trust", "", "", HELP " =--list", "would make caisson milder", A_PERSON)
DANGER(CAISSON_MILDER, "caisson init", "", "", HELP, "would change how caisson is called", A_PERSON)
DANGER(CAISSON_MILDER, "caisson config", "", "", HELP " =verify =show =explain",
	"would change caisson's policy", A_PERSON)
DANGER(CAISSON_MILDER, "caisson audit prune", "", "", HELP, "would change what caisson has recorded",
	A_PERSON)
DANGER(CAISSON_MILDER, "caisson audit keygen", "", "", HELP, "would change what caisson has recorded",
	A_PERSON)
DANGER(CAISSON_MILDER, "caisson metrics", "--textfile", "", HELP, "would write a file of its own choice",
	"leave out --textfile")
DANGER(CAISSON_MILDER, "caisson replay", "--run", "", HELP, "would run again what was run before", A_PERSON)
DANGER(CAISSON_MILDER, "caisson audit checkpoint", "", "", HELP, "would sign what caisson has recorded",
	A_PERSON)
DANGER(CAISSON_MILDER, "caisson run",
	"--network --root --env --workspace --write --config --backend --profile --memory --timeout --pids "
	"--cpus --scratch --output --cpu-time --ticket --skill", "", HELP,
	"would run with a box of its own choice", "leave out the options")
/* A forged event could add directories to the agent's session, or end the tickets of another session. */
DANGER(CAISSON_MILDER, "caisson hook", "", "", HELP, "would speak in the name of the agent client",
	"caisson check judges a command")
DANGER(CAISSON_MILDER, "caisson mcp", "", "", HELP, "would serve boxes of its own choice",
	"the client starts the server, as a person has set it up")
/* Unlisted subcommands are for people: a new one is closed to agents until somebody lists it here. */
DANGER(CAISSON_MILDER, "caisson", "", "*",
	"=--help =-h =--version =help =allow =ask =audit =check =config =deny =doctor =hook =init =mcp "
	"=metrics =normalise =pause =presets =redact =replay =run =selftest =stats =suggest =trust "
	"=validate", "is not a command of caisson that agents may use", "see caisson --help")
DANGER(CAISSON_MILDER, "systemctl", "", "caisson*", "status show cat is-active is-enabled",
	"would end caisson", "")
DANGER(CAISSON_MILDER, "service", "", "caisson*", "status", "would end caisson", "")
DANGER(CAISSON_MILDER, "pkill", "", "*caisson*", "", "would end caisson", "")
DANGER(CAISSON_MILDER, "killall", "", "*caisson*", "", "would end caisson", "")
