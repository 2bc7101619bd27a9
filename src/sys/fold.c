/*
 * On a case-insensitive file system, .GIT opens .git. Some types are always case-insensitive; ext4, f2fs and
 * tmpfs have a flag for each directory, which new subdirectories inherit.
 */
#define _GNU_SOURCE
#include "sys/fold.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CASEFOLD_FLAG 0x40000000 /* FS_CASEFOLD_FL; missing in older headers */

bool fold_by_type(uint64_t type)
{
	static const uint32_t types[] = {
		0x4d44,     /* FAT */
		0x2011bab0, /* exFAT */
		0x5346544e, /* NTFS */
		0x7366746e, /* NTFS, the newer driver */
		0x482b,     /* HFS+ */
		0x4244,     /* HFS */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x517b,     /* SMB */
		0x01021997, /* 9p: disks of a host, for instance a Windows host */
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i] == type)
			return true;
	return false;
}

bool fold_probe(struct str dir)
{
	char path[PATH_MAX];
	struct statfs fs;
	unsigned int flags = 0;
	bool folds;
	int fd;

	if (!dir.n || dir.n >= sizeof(path))
		return false;
	memcpy(path, dir.p, dir.n);
	path[dir.n] = '\0';
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	folds = fstatfs(fd, &fs) == 0 && fold_by_type((uint32_t)fs.f_type);
	if (!folds && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0)
		folds = flags & CASEFOLD_FLAG;
	close(fd);
	return folds;
}
